import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { later } from '../../verify/support/later.ts'
import { programArguments, startProcess } from '../../verify/support/process.ts'
import { echo, makeFormula, makeReactor, openReactors } from '../../verify/support/reactors.ts'
import { refusalIn } from '../../verify/support/run-here.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { createVaultWith } from '../vault.ts'
import { findNode } from './processes/find-node.ts'
import { describeIsolation, type Isolation, missingLayers } from './processes/isolation.ts'

const keyed = { SURROGATE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }

t.test('a server reports the isolation of formulas at its start and in /healthz', async t => {
  const server = startProcess(t, ['--port=0', '--storage=memory:'], keyed)
  const { url } = await server.ready()
  const [, said = ''] = await server.printed(/^(formulas run in processes with: .*)\n/m)
  const health = (await (await fetch(`${url}/healthz`)).json()) as { formulas: Isolation }
  t.equal(said, describeIsolation(health.formulas))
  t.same(Object.keys(health), ['status', 'formulas'])
  t.match(health.formulas, { permissionModel: true, jitless: true })
  t.equal((await server.end()).code, 0)
})

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

t.test('a server that requires isolation starts only where all layers hold', { skip: !isRoot }, async t => {
  const args = ['--port=0', '--storage=memory:', '--require-isolation']
  const complete = startProcess(t, args, keyed)
  const first = await Promise.race([complete.ready().then(() => 'ready' as const), complete.ended])
  if (first !== 'ready') {
    t.match(first, { code: 2, stderr: /lacks layers/ })
    t.comment('skipped: this host lacks layers itself')
    return
  }
  const { url } = await complete.ready()
  const { formulas } = (await (await fetch(`${url}/healthz`)).json()) as { formulas: Isolation }
  t.same(missingLayers(formulas), [], 'known before the first formula')
  await complete.end()
  // Root that may not create namespaces, as in most containers.
  const bound = ['setpriv', '--bounding-set', '-sys_admin', '--inh-caps', '-sys_admin']
  const lacking = await startProcess(t, args, keyed, bound).ended
  t.equal(lacking.code, 2)
  t.equal(
    refusalIn(lacking.stderr),
    '--require-isolation: this host lacks layers that isolate formulas: no files, no network',
  )
  t.equal(lacking.stdout, '', 'it did not listen')
  const control = startProcess(t, args.slice(0, 2), keyed, bound)
  await control.ready()
  t.match(await control.printed(/without: .*\n/), ['without: no files, no network\n'])
  await control.end()
})

t.test('a vault that requires isolation does not open without it', async t => {
  const without = ['unshare', 'setpriv'] as const
  const lacking = createVaultWith({ sandboxParts: { without } }, { requireIsolation: true })
  await t.rejects(lacking.ready(), { name: 'IsolationMissing', message: /no network/ })
  await lacking.close()
  const control = createVaultWith({ sandboxParts: { without } })
  await control.ready()
  await control.close()
})

t.test('a module that cannot be provided to formulas is refused at the start', async t => {
  const args = ['--storage=memory:', '--dev', '--port=0', '--formula-module=inspector']
  const { code, stderr } = await startProcess(t, args).ended
  t.equal(code, 2)
  t.match(refusalIn(stderr), /it needs inspector of Node, which formulas do not have/)
})

t.test('a server listens while modules are loaded, and is ready afterwards', async t => {
  const found = later()
  let asked = 0
  // The first time, the vault only looks if there is one.
  const sandboxParts = {
    findNode: async () => {
      if (asked++ > 0) await found.promise
      return findNode()
    },
  }
  const options = { formulaModules: ['decimal.js'], warmFormulas: true }
  const vault = openVault(t, options, { sandboxParts })
  const { url } = await vault.listen()
  const status = async (path: string) => {
    const response = await fetch(url + path)
    return [response.status, ((await response.json()) as { status: string }).status].join(' ')
  }
  t.equal(await status('/livez'), '200 ok')
  t.equal(await status('/readyz'), '503 starting')
  found.keep()
  await vault.ready()
  t.equal(await status('/readyz'), '200 ok')

  const refused = openVault(t, { ...options, formulaModules: ['inspector'] })
  await refused.listen()
  await t.rejects(refused.ready(), { name: 'FormulaModuleRefused' })
  t.match(await (await refused.fetch('http://vault/readyz')).json(), { status: 'starting' })
})

t.test('a server goes on when the reader of its output leaves', async t => {
  const args = [...programArguments(), '--port=0', '--storage=memory:']
  const child = spawn(process.execPath, args, { env: keyed, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  // Before the server prints how it isolates formulas.
  child.stdout.destroy()
  const { url } = /listening on (?<url>\S+)/.exec(line)?.groups ?? {}
  const read = async () => (await (await fetch(`${url}/healthz`)).json()) as { formulas?: Isolation }
  while (!(await read()).formulas) await nextTurn()
  t.ok((await read()).formulas)
})

t.test('a reactor starts a process before its first invocation', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const health = async () => (await tenant.as(undefined)('GET', '/healthz')).json
  const formula = await makeFormula(tenant, echo)
  t.same(await health(), { status: 'ok' }, 'a formula alone starts none')
  await makeReactor(tenant, formula.id)
  while (!(await health()).formulas) await nextTurn()
})
