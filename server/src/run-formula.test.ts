import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openTenant, openVault } from '../verify/support/vault.ts'
import { errorRegistry } from './base/errors.ts'
import { runFormula } from './run-formula.ts'
import { type FormulaErrorName, formulaErrors } from './sandbox/protocol/messages.ts'
import { type Outcome, outcomeStatus } from './sandbox/sandbox.ts'

t.test('a formula runs with its arguments, configuration and console', async t => {
  const code = `module.exports = async ({ args, configuration, svc }) => {
    console.log('adding')
    return { raw: { sum: args.a + configuration.b, svc } }
  }`
  t.same(await runFormula(code, { args: { a: 1 }, configuration: { b: 2 } }), {
    outcome: { kind: 'answered', raw: { sum: 3, svc: null } },
    status: 200,
    console: [{ level: 'log', text: 'adding' }],
  })
})

t.test('a profile brings modules and the client of another service', async t => {
  const profile = fileURLToPath(new URL('../examples/profile/acme.yaml', import.meta.url))
  const vault = openVault(t, { profile })
  const { privateKey } = await vault.createTenant()
  const svc = { fetch: vault.fetch, apiKey: privateKey }
  const code = `const { demand } = require('@acme/checks')
    module.exports = async ({ args, acme }) => ({ raw: (await acme.tokens.create({ type: 'token', data: demand(args, 'a') })).createdBy })`
  const { outcome } = await runFormula(code, { args: { a: 1 }, svc, profile })
  t.match(outcome, { kind: 'answered', raw: /^[\da-f-]{36}$/ })
  t.match((await runFormula(code, { svc, profile })).outcome, { errors: { 'args.a': ['is missing'] } })
  t.match((await runFormula(code, { args: { a: 1 }, svc })).outcome, { kind: 'failed' }, 'the control')
  await t.rejects(runFormula(code, { profile: 'missing.yaml' }), { name: 'ProfileError' })
})

t.test('the client of a formula is the real one, and can call a vault', async t => {
  const vault = openVault(t)
  const { privateKey } = await openTenant(vault)
  const code = `module.exports = async ({ svc }) => {
    const { id } = await svc.tokens.create({ type: 'card', data: { number: '4242424242424242' } })
    const { data } = await svc.tokens.get(id)
    let listed = 0
    for await (const token of svc.tokens.list()) listed += token.id === id ? 1 : 0
    const missing = await svc.tokens.get('missing').catch(error => [error.name, error.status])
    await svc.tokens.delete(id)
    return { raw: { number: data.number, listed, missing } }
  }`
  const { outcome } = await runFormula(code, { svc: { fetch: vault.fetch, apiKey: privateKey } })
  t.same(outcome, {
    kind: 'answered',
    raw: { number: '4242424242424242', listed: 1, missing: ['NotFoundError', 404] },
  })
  const without = await runFormula(code, { svc: { fetch: vault.fetch } })
  t.match(
    without,
    { outcome: { kind: 'failed', reason: 'threw' }, status: 500 },
    'without the key it may do nothing',
  )
})

t.test('every outcome has the same status as over HTTP', async t => {
  const statuses: readonly [outcome: Outcome, status: number][] = [
    [{ kind: 'answered' }, 200],
    [{ kind: 'custom', status: 302, headers: {} }, 302],
    [{ kind: 'unusable', detail: '' }, 422],
    [{ kind: 'failed', reason: 'threw', detail: '' }, 500],
    [{ kind: 'busy' }, 429],
  ]
  for (const [outcome, status] of statuses) t.equal(outcomeStatus(outcome), status, outcome.kind)
  const refused = Object.fromEntries(
    (Object.keys(formulaErrors) as FormulaErrorName[]).map(error => [
      error,
      outcomeStatus({ kind: 'refused', error, errors: {} }),
    ]),
  )
  t.same(refused, {
    BadRequestError: 400,
    AuthenticationError: 401,
    InvalidPaymentMethodError: 402,
    AuthorizationError: 403,
    RateLimitError: 429,
    ReactorRuntimeError: 500,
    InvalidReactorConfigurationError: 400,
  })
  for (const [code] of Object.values(formulaErrors)) t.ok(errorRegistry[code])
})

t.test('options that are not valid are refused, failures of the code are outcomes', async t => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const wrong: readonly [name: string, options: object, says: RegExp][] = [
    ['args', { args: circular }, /args must be JSON/],
    ['configuration', { configuration: [] }, /configuration must be an object/],
    ['time', { timeoutMs: 0 }, /timeoutMs/],
    ['a module', { modules: ['no-such-package'] }, /no-such-package/],
  ]
  for (const [name, options, says] of wrong) await t.rejects(runFormula('', options as never), says, name)
  t.match(await runFormula('}'), { outcome: { kind: 'unusable' }, status: 422 })
  const slow = await runFormula('module.exports = async () => { for (;;); }', { timeoutMs: 1_000 })
  t.match(slow, { outcome: { kind: 'failed', reason: 'time' }, status: 500 })
})

t.test('a failure has its own message and the lines in the code, not in modules or `eval`', async t => {
  const code = `const semver = require('semver')
    const parse = text => new semver.SemVer(text)
    module.exports = async () => {
      await null
      [eval('\\n\\n\\n(f) => f()')].forEach(call => call(() => parse('x')))
    }`
  const { outcome } = await runFormula(code.replace('null', 'null;'), { modules: ['semver'] })
  t.match(outcome, {
    detail: 'the formula threw a TypeError at line 2',
    thrown: { message: 'Invalid Version: x' },
  })
  const { stack = [] } = outcome.kind === 'failed' ? (outcome.thrown ?? {}) : {}
  t.equal(stack[0], 'at parse (formula.js:2:27)')
  t.match(stack.at(-1), /^at module\.exports \(formula\.js:5:/)
  const odd =
    'module.exports = () => { const e = new Error(); Object.defineProperty(e, "message", { get() { throw e } }); throw e }'
  t.match((await runFormula(odd)).outcome, { thrown: { message: '' } })
  t.match((await runFormula('module.exports = () => { throw { a: 1 } }')).outcome, {
    thrown: { message: '{"a":1}', stack: [] },
  })
})

t.test('allowed modules can be required, and are evaluated anew each time', async t => {
  const code = `const semver = require('semver'); semver.left = (semver.left ?? 0) + 1
    module.exports = async () => ({ raw: [semver.satisfies('1.2.3', '^1.0.0'), semver.left, require('semver') === semver] })`
  t.match(await runFormula(code, { modules: ['semver'] }), {
    outcome: { kind: 'answered', raw: [true, 1, true] },
  })
  t.match(await runFormula(code), {
    outcome: { kind: 'failed', detail: 'the formula threw a TypeError at line 1' },
  })
})
