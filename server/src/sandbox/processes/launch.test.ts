import { ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { loader, locateProgram } from '../../../verify/support/process.ts'
import { body, openSandbox } from '../_fixture.ts'
import type { Isolation } from './isolation.ts'

const execute = promisify(execFile)
const isRoot = process.getuid?.() === 0
const linux = process.platform === 'linux'

t.test(
  'formulas run on a host that lacks tools, and the missing layers are named',
  { skip: !linux },
  async t => {
    for (const [missing, expected] of [
      [['unshare'], { network: 'server', permissionModel: true, resourceLimits: true }],
      [['setpriv'], { endsWithServer: false, noNewPrivileges: false, resourceLimits: true }],
      [
        ['unshare', 'setpriv'],
        { user: 'server', network: 'server', endsWithServer: false, resourceLimits: true },
      ],
    ] as const) {
      const sandbox = openSandbox(t, { limits: { spares: 0 } }, { without: missing })
      t.equal(await sandbox.raw(body('return { raw: 1 }')), 1, `without ${missing.join(' and ')}`)
      t.match(sandbox.isolation(), expected)
      await sandbox.close()
    }
  },
)

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

/** Runs a sandbox in a process whose environment has nothing added by tap. */
const script = `
  import { body, openSandbox } from '${locateProgram('server/src/sandbox/_fixture.ts')}'
  const sandbox = openSandbox({ teardown() {} }, { limits: { spares: 0 } }, JSON.parse(process.argv.at(-1)))
  const answer = await sandbox.raw(body('return { raw: 1 }'))
  const buffers = await sandbox.formula(body('const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))'))
  process.stdout.write(JSON.stringify([answer, buffers.reason, sandbox.isolation()]))
  await sandbox.close()
`
const root = new URL('../../../..', import.meta.url)

async function alone(parts: object, prefix: readonly string[] = []) {
  const node = [
    process.execPath,
    ...loader,
    '--input-type=module',
    '--eval',
    script,
    '--',
    JSON.stringify(parts),
  ]
  const { PATH = '' } = process.env
  const [file = '', ...args] = [...prefix, 'env', '-i', `PATH=${PATH}`, ...node]
  const { stdout } = await execute(file, args, { cwd: root })
  return JSON.parse(stdout) as [number, string, Isolation]
}

t.test(
  'on a host with nothing but Node, a formula runs and its memory is watched',
  { skip: !linux },
  async t => {
    const [answer, reason, isolation] = await alone({ without: ['unshare', 'setpriv', 'sh'] })
    t.same([answer, reason], [1, 'memory'])
    t.same(isolation, {
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
  },
)

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

t.test('an ordinary user runs formulas too', { skip: !linux || !isRoot }, async t => {
  const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--']
  const readable = await execute(nobody[0] ?? '', [
    ...nobody.slice(1),
    'test',
    '-r',
    new URL('package.json', root).pathname,
  ]).then(
    () => true,
    () => false,
  )
  if (!readable) {
    t.comment('skipped: other users cannot read this folder')
    return
  }
  const [answer, reason, isolation] = await alone({}, nobody)
  t.same([answer, reason], [1, 'memory'])
  t.match(isolation, { permissionModel: true, resourceLimits: true, endsWithServer: true })
  t.not(isolation.user, 'own')
})

t.test('a formula also runs with JIT compilation', async t => {
  const sandbox = openSandbox(t, { jitless: false, limits: { spares: 0 } })
  t.equal(
    await sandbox.raw(body('let n = 0; for (let i = 0; i < 1e6; i++) n += i % 3; return { raw: n }')),
    999_999,
  )
  t.equal(sandbox.isolation()?.jitless, false)
})
