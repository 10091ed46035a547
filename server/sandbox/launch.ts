import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { SandboxLimits } from './limits.ts'

/** What holds a process besides its compartment: which of the layers this host has. */
export interface Isolation {
  /** Node's permission model: no files, no processes, no workers, no native code. */
  readonly permissionModel: boolean
  /** No code is compiled at run time, and no memory is both writable and executable. */
  readonly jitless: boolean
  /** Another user than the server's, a user namespace of its own, or the server's own user. */
  readonly user: 'own' | 'namespace' | 'server'
  /** A namespace without any network, or the server's network. */
  readonly network: 'none' | 'server'
  /** Limits of the operating system on memory, processor time, files and core dumps. */
  readonly resourceLimits: boolean
  /** Ends with the server, however that ends. */
  readonly endsWithServer: boolean
  /** Nothing it starts could gain rights. */
  readonly noNewPrivileges: boolean
}

/** A line for the operator: what holds the processes of formulas, and what this host lacks for it. */
export function describeIsolation(isolation: Isolation | 'none'): string {
  if (isolation === 'none') return 'formulas cannot run: no process can be started'
  const { permissionModel, jitless, user, network, resourceLimits, endsWithServer, noNewPrivileges } =
    isolation
  const layers: readonly [holds: boolean, name: string][] = [
    [permissionModel, 'the permission model'],
    [jitless, 'an interpreter only'],
    [user === 'own', 'a user of its own'],
    [user === 'namespace', 'a user namespace'],
    [network === 'none', 'no network'],
    [noNewPrivileges, 'no new privileges'],
    [resourceLimits, 'resource limits'],
    [endsWithServer, 'an end with the server'],
  ]
  const named = (wanted: boolean) => layers.filter(([holds]) => holds === wanted).map(([, name]) => name)
  const missing = named(false).filter(name => !name.startsWith('a user') || user === 'server')
  const without = missing.length === 0 ? '' : `; without: ${missing.join(', ')}`
  return `formulas run in processes with: ${named(true).join(', ')}${without}`
}

/** How to start a process in isolation. */
export interface Launcher {
  readonly isolation: Isolation
  /** Starts Node with the boot program and a socket at descriptor 3; nothing of our environment goes with it. */
  launch(): ChildProcess
}

interface Wrapper {
  readonly user: Isolation['user']
  readonly network: Isolation['network']
  readonly setpriv: boolean
  readonly limits: boolean
}

/** From the strongest; the first that this host can start is taken. */
const wrappers: readonly Wrapper[] = [
  { user: 'own', network: 'none', setpriv: true, limits: true },
  { user: 'namespace', network: 'none', setpriv: true, limits: true },
  { user: 'own', network: 'server', setpriv: true, limits: true },
  { user: 'namespace', network: 'none', setpriv: false, limits: true },
  { user: 'server', network: 'none', setpriv: false, limits: true },
  { user: 'server', network: 'server', setpriv: true, limits: true },
  { user: 'server', network: 'server', setpriv: false, limits: true },
  { user: 'server', network: 'server', setpriv: false, limits: false },
]

/** Users nobody has, one for each process: two runners must not be able to signal or trace each other. */
const firstUser = 0x70_00_00_00
const users = 0x00_ff_ff_ff

/** Processor time of a whole life, for a runner that outlives its server where nothing else ends it. */
export const lifeCpuSeconds = 600

/** What V8 sets aside for compiled code, since Node 24 at once. */
const codeRangeMiB = 520

/** Processes and threads of one runner; Node needs about ten. */
const tasks = 64

/** The descriptors above the socket's that a shell can close; the server opens all of its own close-on-exec. */
const shellCloses = '4>&- 5>&- 6>&- 7>&- 8>&- 9>&-'

const environment = { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' }

export interface LaunchOptions {
  readonly limits: Pick<SandboxLimits, 'heapMiB' | 'dataMiB'>
  readonly jitless: boolean
  /** The text of the boot program. */
  readonly boot: string
  /** Only for tests: what this host is to be taken to lack. */
  readonly without?: readonly ('unshare' | 'setpriv' | 'sh')[]
}

/** Finds out what this host can do, by doing it: a version printed under each wrapper in turn. */
export async function findLauncher(options: LaunchOptions): Promise<Launcher> {
  const flags = nodeFlags(options)
  let user = process.pid
  for (const wrapper of wrappers) {
    const prefix = command(wrapper, options, () => `${firstUser + (user++ % users)}`)
    if (!prefix) continue
    if (await starts([...prefix(), process.execPath, ...flags, '--version'])) {
      return {
        isolation: {
          permissionModel: true,
          jitless: options.jitless,
          user: wrapper.user,
          network: wrapper.network,
          resourceLimits: wrapper.limits,
          endsWithServer: wrapper.setpriv,
          noNewPrivileges: wrapper.setpriv,
        },
        launch: () => {
          const [file = '', ...args] = [...prefix(), process.execPath, ...flags, '--eval', options.boot]
          const stdio = ['ignore', 'ignore', 'ignore', 'pipe'] as const
          return spawn(file, args, { env: environment, cwd: '/', stdio: [...stdio], windowsHide: true })
        },
      }
    }
  }
  throw new Error('Node cannot be started from this process')
}

function starts([file = '', ...args]: readonly string[]): Promise<boolean> {
  return new Promise(resolve => {
    execFile(file, args, { env: environment, cwd: '/', timeout: 5_000 }, error => resolve(!error))
  })
}

/** The words before `node`, made anew for each process; `undefined` where a program for it is missing. */
function command(
  wrapper: Wrapper,
  options: LaunchOptions,
  nextUser: () => string,
): (() => string[]) | undefined {
  const find = (name: 'unshare' | 'setpriv' | 'sh') =>
    options.without?.includes(name) || process.platform === 'win32' ? undefined : findProgram(name)
  const [unshare, setpriv, sh] = [find('unshare'), find('setpriv'), find('sh')]
  const isRoot = process.getuid?.() === 0
  if (wrapper.network === 'none' && !unshare) return undefined
  if (wrapper.setpriv && !setpriv) return undefined
  if (wrapper.limits && !sh) return undefined
  if (wrapper.user === 'own' && !isRoot) return undefined
  // Root in a namespace of users is still root to whatever checks the owner of a file or a process.
  if (wrapper.user === 'namespace' && isRoot) return undefined
  return () => [
    ...(wrapper.network === 'none'
      ? [`${unshare}`, ...(wrapper.user === 'namespace' ? ['--user'] : []), '--net', '--ipc', '--']
      : []),
    ...(wrapper.limits ? [`${sh}`, '-c', limitScript(options, wrapper)] : []),
    ...(wrapper.setpriv ? [`${setpriv}`, ...privileges(wrapper, nextUser), '--'] : []),
  ]
}

function privileges({ user }: Wrapper, nextUser: () => string): string[] {
  const id = nextUser()
  return [
    '--pdeathsig',
    'KILL',
    '--no-new-privs',
    ...(user === 'own' ? ['--reuid', id, '--regid', id, '--clear-groups', '--inh-caps=-all'] : []),
  ]
}

function limitScript({ limits, jitless }: LaunchOptions, { user }: Wrapper): string {
  const data = (limits.dataMiB + (jitless ? 0 : codeRangeMiB)) * 1024
  // What a system does not know it says, and the rest still holds.
  return [
    'ulimit -c 0',
    'ulimit -f 0',
    `ulimit -t ${lifeCpuSeconds}`,
    `ulimit -d ${data} 2>/dev/null`,
    // Counted by user: shells differ in the letter, and a user who is shared has others' processes too.
    ...(user === 'own' ? [`{ ulimit -p ${tasks} || ulimit -u ${tasks}; } 2>/dev/null`] : []),
    // What traces the server's processes may have added to the environment since; the shell adds to it too.
    `exec env -i ${Object.entries(environment)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')} "$0" "$@" ${shellCloses}`,
  ].join('; ')
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/bin']
  return folders
    .filter(folder => folder.startsWith('/'))
    .map(folder => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function nodeFlags({ limits, jitless }: LaunchOptions): string[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const since = (...versions: [major: number, minor: number][]) =>
    versions.some(
      ([a, b], index) => (index === versions.length - 1 ? major > a : false) || (major === a && minor >= b),
    )
  return [
    ...(jitless ? ['--jitless'] : []),
    `--max-old-space-size=${limits.heapMiB}`,
    '--max-semi-space-size=4',
    '--v8-pool-size=1',
    since([22, 13], [23, 5]) ? '--permission' : '--experimental-permission',
    '--no-addons',
    '--no-warnings',
    '--unhandled-rejections=none',
    ...(since([22, 14], [23, 7]) ? ['--disable-sigusr1'] : []),
    // `import.source(…)`, which the filters for `import(…)` do not know.
    ...(major >= 24 ? ['--no-js-source-phase-imports'] : []),
  ]
}
