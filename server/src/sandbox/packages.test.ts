import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { runShown } from '../../verify/support/shown-tests.ts'
import { createFormulaEgress, type EgressRequest } from '../egress/formula-egress.ts'
import { openSandbox } from './_fixture.ts'
import { answerOf, attempt, moduleRoot, options, tasks } from './_packages.ts'
import { vendors } from './_vendor-calls.ts'
import { certificate, openVendors } from './_vendors.ts'

/** Answers with what was sent. */
const egress = async ({ url, method, headers, body }: EgressRequest) => ({
  status: url.endsWith('/404') ? 404 : 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    id: 'a',
    object: 'a',
    sent: { url, method, headers, body: `${Buffer.from(body ?? [])}` },
  }),
})

t.test('public packages do what they are for', options, async t => {
  const modules = [...Object.keys(tasks), 'pdfkit/standard-fonts/Helvetica']
  const sandbox = openSandbox(t, { modules, moduleRoot, egress })
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  for (const [name, code] of Object.entries(tasks))
    t.same(await sandbox.raw(attempt(code), { args: { publicKey, privateKey } }), answerOf(code), name)
})

t.test('packages of vendors call their services', options, async t => {
  const mapped = await openVendors(t)
  for (const [module, text] of Object.entries(vendors)) {
    await t.test(module, async t => {
      const egress = createFormulaEgress({ mapped, isOwn: () => false })
      const sandbox = openSandbox(t, { modules: [module], moduleRoot, egress })
      const args = module.startsWith('mastercard') ? certificate(moduleRoot) : {}
      const [code, expected] = [attempt(text), answerOf(text)]
      t.same(await sandbox.raw(code, { args }), expected)
      t.same(await sandbox.raw(code, { args }), expected, 'again in the same process')
    })
  }
})

t.test('the whole aws-sdk is refused, as it is too long', options, async t => {
  const error = await openSandbox(t, { modules: ['aws-sdk'], moduleRoot })
    .start()
    .catch(error => error)
  t.equal(error.message, 'the module aws-sdk cannot be provided to formulas: it is longer than 4194304 bytes')
  const guide = readFileSync(new URL('../../guide/formulas.md', import.meta.url), 'utf8')
  t.ok(
    guide.includes(readFileSync(`${moduleRoot}aws.cjs`, 'utf8')),
    'the guide shows a module of its clients',
  )
})

t.test('the guide names these packages, their versions, and what was called', async t => {
  const { dependencies } = JSON.parse(readFileSync(`${moduleRoot}package.json`, 'utf8'))
  const guide = readFileSync(new URL('../../guide/formulas.md', import.meta.url), 'utf8')
  const [, table = ''] =
    /\| package \| version \| what was called \|\n\|---\|---\|---\|\n((?:\|.*\|\n)+)/.exec(guide) ?? []
  const rows = table
    .trim()
    .split('\n')
    .map(row =>
      row
        .split('|')
        .slice(1, 4)
        .map(cell => cell.trim()),
    )
  const codes = Object.entries({ ...tasks, ...vendors })
  const installed = Object.entries(dependencies as Record<string, string>).map(([alias, range]) => {
    const [, name = alias, version = ''] = /^(?:npm:(.+)@)?\^?(\d+\.\d+)/.exec(range) ?? []
    const code = codes
      .filter(([module]) => module.replace(/[=/](clients|\.).*$/, '') === alias)
      .map(([, one]) => one)
    return { name, version, code: code.join('\n') }
  })
  t.same(
    rows.map(([name, version]) => `${name} ${version}`).sort(),
    installed.map(({ name, version }) => `${name} ${version}`).sort(),
  )
  for (const [name, version, calls = ''] of rows) {
    const code = installed.find(one => one.name === name && one.version === version)?.code ?? ''
    const called = [...calls.matchAll(/`([^`]+)`/g)].map(([, call = '']) => call)
    t.ok(called.length > 0, `${name} says what was called`)
    for (const call of called) t.ok(code.includes(call), `${name}: ${call}`)
  }
})

t.test('the guide shows a charge by a package, with a stand-in', options, async t => {
  const guide = readFileSync(new URL('../../guide/formulas.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```js\n(import .*?)```/s.exec(guide) ?? []
  const cwd = t.testdir({ node_modules: t.fixture('symlink', `${moduleRoot}node_modules`) })
  t.match(await runShown(t, `${shown}\nprocess.exit()`, [], { cwd }), /id: 'pi_1', status: 'succeeded'/)
})
