// Only in CI: it starts processes with and without each tool of the host.
import { ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { loader, locateProgram } from '../../../verify/support/process.ts'
import { body, openSandbox } from '../_fixture.ts'
import type { Isolation } from './isolation.ts'

const execute = promisify(execFile)
const root = new URL('../../../..', import.meta.url)
const isRoot = process.getuid?.() === 0
const linux = process.platform === 'linux'
const ordinaryUser = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--']

interface Probed {
  readonly isolation: Isolation
  readonly secret: string
  readonly public: string
  readonly environ: string
  readonly root: readonly string[]
  readonly signal: string
  readonly isInServersGroup: boolean
  readonly network: string
  readonly capabilities: readonly string[]
  readonly isServersUser: boolean
  readonly oomScoreAdj: number
  readonly niceness: number
  readonly usage?: { readonly cpuMs: number; readonly residentMiB: number }
  readonly isForked: boolean
  readonly isGone: boolean
  /** What two formulas of a sandbox returned, and its isolation. */
  readonly ran: readonly [raw: unknown, reason: unknown, isolation: Isolation]
}

async function probe(without: readonly string[], prefix: readonly string[]): Promise<Probed> {
  const { PATH = '' } = process.env
  const program = fileURLToPath(locateProgram('server/src/sandbox/_probe.ts'))
  const node = [process.execPath, ...loader, program, JSON.stringify(without)]
  const [file = '', ...args] = [...prefix, 'env', '-i', `PATH=${PATH}`, ...node]
  const { stdout } = await execute(file, args, { cwd: root })
  return JSON.parse(stdout)
}

/** Checks that the claimed isolation is exactly the isolation that the probe observed. */
function checkClaims(t: Tap, probed: Probed): void {
  const { isolation } = probed
  const { user, files } = isolation
  t.equal(
    probed.secret === 'secret',
    files === 'server',
    `a file that only the server may read: ${probed.secret}`,
  )
  t.equal(probed.public === 'done', files !== 'none', `a file that everybody may read: ${probed.public}`)
  const allowed = new RegExp(`^(lib\\w*|usr|bin|fstab|${process.execPath.split('/')[1]})$`)
  if (files === 'none')
    t.strictSame(
      probed.root.filter(name => !allowed.test(name)),
      [],
    )
  t.equal(probed.environ === 'done', user === 'server', `the environment of the server: ${probed.environ}`)
  t.equal(probed.signal === 'done', !isolation.signalsNobody, `a signal to the server: ${probed.signal}`)
  // Signals to a process group cross PID namespaces; only a separate user or group prevents them.
  if (user === 'namespace') t.equal(probed.isInServersGroup, !isolation.signalsNobody)
  t.equal(probed.network === 'done', isolation.network === 'server', `a connection: ${probed.network}`)
  t.equal(probed.oomScoreAdj === 1000, isolation.endsFirst)
  t.equal(probed.isServersUser, user !== 'own')
  if (!isRoot || user !== 'server') t.match(probed.capabilities, [/^0+$/], 'no capabilities')
  t.ok(
    probed.usage && probed.usage.cpuMs > 0 && probed.usage.residentMiB > 20,
    'the usage is that of Node, not of its wrapper',
  )
  t.ok(probed.niceness === 10, 'the priority is that of Node')
  t.ok(probed.isGone, 'Node has ended')
  t.same(probed.ran, [1, 'memory', { ...isolation, permissionModel: true }], 'formulas run, and are limited')
}

type Tap = Pick<typeof t, 'equal' | 'match' | 'ok' | 'same' | 'strictSame'>

const lacking: readonly (readonly string[])[] = [
  [],
  ['mount'],
  ['unshare'],
  ['setpriv'],
  ['unshare', 'setpriv'],
  ['unshare', 'setpriv', 'sh'],
]

for (const without of lacking) {
  const name = without.length === 0 ? 'with all tools' : `without ${without.join(', ')}`
  t.test(`the claimed isolation holds, ${name}`, { skip: !linux }, async t => {
    checkClaims(t, await probe(without, []))
  })
}

t.test('the claimed isolation holds for an ordinary user', { skip: !linux || !isRoot }, async t => {
  const file = new URL('package.json', root).pathname
  const readable = execute(ordinaryUser[0] ?? '', [...ordinaryUser.slice(1), 'test', '-r', file])
  if (!(await readable.catch(() => undefined))) {
    t.comment('skipped: other users cannot read this folder')
    return
  }
  for (const without of lacking) {
    await t.test(`lacking ${without.join(', ') || 'nothing'}`, async t => {
      const probed = await probe(without, ordinaryUser)
      checkClaims(t, probed)
      t.not(probed.isolation.user, 'own')
    })
  }
})

t.test('on a host with nothing but Node, two layers hold', { skip: !linux }, async t => {
  const { ran } = await probe(['unshare', 'setpriv', 'sh'], [])
  t.same(ran[2], {
    permissionModel: true,
    jitless: true,
    user: 'server',
    files: 'server',
    signalsNobody: false,
    network: 'server',
    resourceLimits: false,
    endsFirst: false,
    endsWithServer: false,
    noNewPrivileges: false,
  })
})

t.test('a process finds out only once what its host supports', async t => {
  const one = openSandbox(t)
  await one.start()
  const processes = ChildProcess.prototype as unknown as { spawn(...given: unknown[]): number }
  const spawn = t.capture(processes, 'spawn', processes.spawn)
  const other = openSandbox(t)
  t.same(await other.start(), one.isolation())
  t.equal(spawn().length, 0)
  spawn.restore()
  t.equal(await other.raw(body('return { raw: 1 }')), 1)
})

t.test('a formula that loops does not outlive a server that was killed', { skip: !linux }, async t => {
  const looping = `
    import { readdirSync, readFileSync } from 'node:fs'
    import { body, openSandbox } from '${locateProgram('server/src/sandbox/_fixture.ts')}'
    const sandbox = openSandbox({ teardown() {} }, { limits: { spares: 0, cpuMs: { sync: 1e6, async: 1e6 } } })
    const svc = async () => {
      const children = readdirSync('/proc').filter(pid => {
        try { return readFileSync('/proc/' + pid + '/stat', 'latin1').split(') ').at(-1).split(' ')[1] === String(process.pid) } catch { return false }
      })
      process.stdout.write(JSON.stringify([sandbox.isolation().endsWithServer, children]))
      return { status: 200, headers: {} }
    }
    await sandbox.formula(body('req.svc.tokens.get("a").catch(() => {}); await null; await new Promise(r => setTimeout(r, 20)); for (;;);'), { svc, timeoutMs: 1e6 })
  `
  const server = spawn(process.execPath, [...loader, '--input-type=module', '--eval', looping], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  const [said] = await once(server.stdout, 'data')
  const [endsWithServer, children] = JSON.parse(said) as [boolean, string[]]
  t.ok(children.length >= 1)
  server.kill('SIGKILL')
  await once(server, 'exit')
  if (!endsWithServer) return
  const isLooping = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--max-semi-space-size')
    } catch {
      return false
    }
  }
  // Otherwise the time limit of the test fails it.
  while (children.some(isLooping)) await new Promise(resolve => setImmediate(resolve))
  t.pass('every process is gone')
})
