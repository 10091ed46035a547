import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { SandboxLimits } from '../sandbox-limits.ts'
import { type EmptyRoot, emptyRootOf } from './empty-root.ts'
import { findNode as findNodeOfHost, findProgram } from './find-node.ts'
import type { Isolation } from './isolation.ts'
import type { Launched } from './runner.ts'

/** Starts isolated processes. */
export interface Launcher {
  readonly isolation: Isolation
  /**
   * Starts Node with the boot program and a socket as its standard output, without the server's environment. From Node 26.12
   * on, the permission model lets a process open no other descriptor as a socket.
   */
  launch(): Launched
}

interface Wrapper {
  readonly user: Isolation['user']
  readonly network: Isolation['network']
  /** An empty root; in a user namespace also a PID namespace, because the user is still the server's. */
  readonly root: boolean
  readonly setpriv: boolean
  readonly limits: boolean
}

/** From strongest to weakest; the first that works on this host is used. */
const wrappers: readonly Wrapper[] = [
  { user: 'own', network: 'none', root: true, setpriv: true, limits: true },
  { user: 'namespace', network: 'none', root: true, setpriv: true, limits: true },
  { user: 'own', network: 'none', root: false, setpriv: true, limits: true },
  { user: 'namespace', network: 'none', root: false, setpriv: true, limits: true },
  { user: 'own', network: 'server', root: false, setpriv: true, limits: true },
  { user: 'namespace', network: 'none', root: false, setpriv: false, limits: true },
  { user: 'server', network: 'none', root: false, setpriv: false, limits: true },
  { user: 'server', network: 'server', root: false, setpriv: true, limits: true },
  { user: 'server', network: 'server', root: false, setpriv: false, limits: true },
  { user: 'server', network: 'server', root: false, setpriv: false, limits: false },
]

/** Unused user ids, one for each process, so that runners cannot signal or trace each other. */
const firstUser = 0x70_00_00_00
const users = 0x00_ff_ff_ff
/**
 * Counted for all sandboxes of this process together, from its own id, so that the runners of two servers on a machine
 * differ, too.
 */
let nextUser = process.pid

/** Limit of the processor time of a process over its lifetime, in case it outlives its server. */
export const lifeCpuSeconds = 600

/** Maximum of processes and threads of one runner; Node needs about ten. */
const tasks = 64

/** Closes the other descriptors that a shell can name; the server opens its own close-on-exec. */
const shellCloses = '3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-'

const environment = { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' }

const tools = ['unshare', 'setpriv', 'setsid', 'sh', 'mount', 'mkdir'] as const
type Tool = (typeof tools)[number]

export interface LaunchOptions {
  readonly limits: Pick<SandboxLimits, 'heapMiB' | 'dataMiB'>
  /** The source of the boot program. */
  readonly boot: string
  /** Only for tests. */
  readonly findNode?: typeof findNodeOfHost
  /** Only for tests: tools that this host pretends not to have. */
  readonly without?: readonly Tool[]
  /** Only for tests: no permission model, for a program that tests the other layers. */
  readonly withoutPermissionModel?: boolean
}

/** Finds the strongest wrapper that works on this host, by running `node --version` under each in turn. */
export async function findLauncher(options: LaunchOptions): Promise<Launcher> {
  const node = await (options.findNode ?? findNodeOfHost)()
  const flags = nodeFlags(options, node.version)
  const programs = findTools(options.without ?? [])
  const root = await findRoot(programs, node.path)
  for (const wrapper of wrappers) {
    const prefix = command(wrapper, programs, root, options)
    if (!prefix) continue
    if (await starts([...prefix(firstUser), node.path, ...flags, '--version'])) {
      return {
        isolation: isolationOf(wrapper, options),
        launch: () => {
          const user = firstUser + (nextUser++ % users)
          const [file = '', ...args] = [...prefix(user), node.path, ...flags, '--eval', options.boot]
          const stdio = ['ignore', 'pipe', 'ignore'] as const
          const child = spawn(file, args, {
            env: environment,
            cwd: '/',
            stdio: [...stdio],
            windowsHide: true,
          })
          return { child, isForked: isForked(wrapper) }
        },
      }
    }
  }
  throw new Error('Node cannot be started from this process')
}

function isolationOf({ user, network, root, setpriv, limits }: Wrapper, options: LaunchOptions): Isolation {
  return {
    permissionModel: options.withoutPermissionModel !== true,
    jitless: true,
    user,
    files: root ? 'none' : user === 'own' ? 'public' : 'server',
    signalsNobody: user === 'own' || (user === 'namespace' && root),
    network,
    resourceLimits: limits,
    endsFirst: limits && process.platform === 'linux',
    endsWithServer: setpriv,
    noNewPrivileges: setpriv,
  }
}

/** A user in a user namespace is still the server's user outside of it, so it also needs a PID namespace. */
function isForked({ user, root }: Wrapper): boolean {
  return user === 'namespace' && root
}

/** Commands that have started Node here. A process that opens many vaults, as tests do, tries them once. */
const started = new Set<string>()

function starts(command: readonly string[]): Promise<boolean> {
  const [file = '', ...args] = command
  const key = command.join('\0')
  if (started.has(key)) return Promise.resolve(true)
  return new Promise(resolve => {
    execFile(file, args, { env: environment, cwd: '/', timeout: 5_000 }, error => {
      // A failure may have been that of a busy machine.
      if (!error) started.add(key)
      resolve(!error)
    })
  })
}

type Programs = Readonly<Partial<Record<Tool, string>>>

function findTools(without: readonly Tool[]): Programs {
  if (process.platform === 'win32') return {}
  const found = tools.filter(name => !without.includes(name)).map(name => [name, findProgram(name)])
  return Object.fromEntries(found.filter(([, path]) => path !== undefined))
}

async function findRoot(
  { unshare, setpriv, mount, mkdir }: Programs,
  node: string,
): Promise<EmptyRoot | undefined> {
  if (process.platform !== 'linux' || !unshare || !setpriv || !mount || !mkdir) return undefined
  return emptyRootOf([node, setpriv], { unshare, mount, mkdir })
}

/** Returns a function that makes the words before `node` for one process; `undefined` if a tool is missing. */
function command(
  wrapper: Wrapper,
  { unshare, setpriv, setsid, sh }: Programs,
  root: EmptyRoot | undefined,
  options: LaunchOptions,
): ((user: number) => string[]) | undefined {
  const isRoot = process.getuid?.() === 0
  if (wrapper.network === 'none' && !unshare) return undefined
  if (wrapper.setpriv && !setpriv) return undefined
  if (wrapper.limits && !sh) return undefined
  if (wrapper.user === 'own' && !isRoot) return undefined
  // Root in a user namespace is still root in checks of the owner of a file or process.
  if (wrapper.user === 'namespace' && isRoot) return undefined
  if (wrapper.root && !root) return undefined
  // A forked process is found in the list of the children of a process, which not every system has.
  const canListChildren = existsSync(`/proc/self/task/${process.pid}/children`)
  if (isForked(wrapper) && (!setsid || !canListChildren)) return undefined
  return user => [
    // The outer, waiting process must also end with the server.
    ...(isForked(wrapper) ? [`${setpriv}`, '--pdeathsig', 'KILL', '--'] : []),
    ...(wrapper.network === 'none' ? [`${unshare}`, ...namespaces(wrapper), '--'] : []),
    ...(wrapper.limits
      ? [
          `${sh}`,
          '-c',
          script(options, wrapper, wrapper.root ? root : undefined, isForked(wrapper) ? setsid : undefined),
        ]
      : []),
    ...(wrapper.setpriv ? [`${setpriv}`, ...privileges(wrapper, user), '--'] : []),
  ]
}

function namespaces(wrapper: Wrapper): string[] {
  return [
    ...(wrapper.user === 'namespace' ? ['--user'] : []),
    '--net',
    '--ipc',
    ...(wrapper.root ? ['--mount'] : []),
    // Root inside the namespace, because only root may mount; its rights are dropped before Node starts.
    ...(isForked(wrapper) ? ['--map-root-user', '--pid', '--fork', '--kill-child=KILL'] : []),
  ]
}

function privileges(wrapper: Wrapper, user: number): string[] {
  const id = String(user)
  return [
    '--pdeathsig',
    'KILL',
    '--no-new-privs',
    ...(wrapper.user === 'own' ? ['--reuid', id, '--regid', id, '--clear-groups', '--inh-caps=-all'] : []),
    ...(isForked(wrapper)
      ? ['--bounding-set=-all', '--inh-caps=-all', '--securebits=+noroot,+noroot_locked']
      : []),
  ]
}

function script(
  { limits }: LaunchOptions,
  { user }: Wrapper,
  root: EmptyRoot | undefined,
  setsid: string | undefined,
): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  // A separate process group, because signals to a group cross PID namespaces.
  const enter = [...(setsid ? [setsid] : []), ...(root?.enter ?? [])]
  // A command that the system does not support fails without stopping the others.
  return [
    // Inherited by all that follows; an unprivileged process can only raise it.
    'echo 1000 2>/dev/null > /proc/self/oom_score_adj',
    ...(root ? [`{ ${root.build.join(' && ')}; } || exit 1`] : []),
    'ulimit -c 0',
    'ulimit -f 0',
    `ulimit -t ${lifeCpuSeconds}`,
    `ulimit -d ${limits.dataMiB * 1024} 2>/dev/null`,
    // Counted for each user, so only for a separate user. Shells differ in the letter of the option.
    ...(user === 'own' ? [`{ ulimit -p ${tasks} || ulimit -u ${tasks}; } 2>/dev/null`] : []),
    // The shell, and tools that trace the server's processes, may have added variables.
    `exec env -i ${variables.join(' ')} ${enter.join(' ')} "$0" "$@" ${shellCloses}`,
  ].join('; ')
}

function nodeFlags({ limits, withoutPermissionModel }: LaunchOptions, version: string): string[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const since = (...versions: [major: number, minor: number][]) =>
    versions.some(
      ([a, b], index) => (index === versions.length - 1 ? major > a : false) || (major === a && minor >= b),
    )
  return [
    // Slower at arithmetic only, with a much smaller attack surface.
    '--jitless',
    `--max-old-space-size=${limits.heapMiB}`,
    '--max-semi-space-size=4',
    '--v8-pool-size=1',
    ...(withoutPermissionModel
      ? []
      : [since([22, 13], [23, 5]) ? '--permission' : '--experimental-permission']),
    '--no-addons',
    '--no-warnings',
    '--unhandled-rejections=none',
    ...(since([22, 14], [23, 7]) ? ['--disable-sigusr1'] : []),
    // Disables `import.source(…)`, which the filters for `import(…)` do not recognize.
    ...(major >= 24 ? ['--no-js-source-phase-imports'] : []),
  ]
}
