import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { loader, locateProgram } from '../../../verify/support/process.ts'
import { describeIsolation, type Isolation, missingLayers, requireIsolation } from './isolation.ts'

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
}

type Tap = Pick<typeof t, 'equal' | 'match' | 'ok' | 'strictSame'>

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
  const readable = await execute(ordinaryUser[0] ?? '', [...ordinaryUser.slice(1), 'test', '-r', file]).then(
    () => true,
    () => false,
  )
  if (!readable) {
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

const all: Isolation = {
  permissionModel: true,
  jitless: true,
  user: 'own',
  files: 'none',
  signalsNobody: true,
  network: 'none',
  resourceLimits: true,
  endsFirst: true,
  endsWithServer: true,
  noNewPrivileges: true,
}

t.test('the line for the operator names the layers that hold and those that are missing', async t => {
  t.equal(
    describeIsolation(all),
    'formulas run in processes with: the permission model, interpreted code only, a separate user, no files, no signals to other processes, no network, no new privileges, resource limits, ending before the server when memory is short, ending with the server',
  )
  t.match(describeIsolation({ ...all, user: 'namespace' }), /a user namespace, no files, .*server$/)
  t.match(
    describeIsolation({ ...all, user: 'namespace', files: 'server', signalsNobody: false }),
    /without: no files, no signals to other processes$/,
    'a user namespace alone protects nothing of the server',
  )
  t.match(
    describeIsolation({ ...all, user: 'server', files: 'public', network: 'server' }),
    /without: a separate user, no files, no network$/,
  )
  t.equal(describeIsolation('none'), 'formulas cannot run: no process can be started')
})

t.test('required isolation holds, or an error names the missing layers', async t => {
  requireIsolation(all)
  requireIsolation({ ...all, user: 'namespace' })
  const lacks: readonly [given: Partial<Isolation>, name: string][] = [
    [{ permissionModel: false }, 'the permission model'],
    [{ jitless: false }, 'interpreted code only'],
    [{ user: 'server' }, 'a separate user'],
    [{ files: 'public' }, 'no files'],
    [{ files: 'server' }, 'no files'],
    [{ signalsNobody: false }, 'no signals to other processes'],
    [{ network: 'server' }, 'no network'],
    [{ resourceLimits: false }, 'resource limits'],
    [{ endsFirst: false }, 'ending before the server when memory is short'],
    [{ endsWithServer: false }, 'ending with the server'],
    [{ noNewPrivileges: false }, 'no new privileges'],
  ]
  t.strictSame(
    lacks
      .map(([given]) => Object.keys(given)[0])
      .filter((one, at, list) => list.indexOf(one) === at)
      .sort(),
    Object.keys(all).sort(),
    'every member is tested',
  )
  for (const [given, name] of lacks) {
    t.same(missingLayers({ ...all, ...given }), [name])
    t.throws(() => requireIsolation({ ...all, ...given }), {
      name: 'IsolationMissing',
      message: `requireIsolation: this host lacks layers that isolate formulas: ${name}`,
    })
  }
  t.throws(() => requireIsolation('none'), { name: 'IsolationMissing' })
})
