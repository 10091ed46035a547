import t from 'tap'
import { echo, makeFormula, makeReactor, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'

const vault = openReactors(t)
const errors = "const errors = require('@surrogate/formula-errors')\n"

t.test('a formula does not set our own headers, also where they begin with x-', async t => {
  const vault = openReactors(t, { headerPrefix: 'X' })
  const { as, managementKey, privateKey } = await openTenant(vault)
  const send = async (key: string, path: string, body: JsonObject) =>
    as(undefined)('POST', path, body, { 'X-API-KEY': key })
  const code = `${errors}module.exports = async req => { throw new errors.CustomHttpResponseError(req.args) }`
  const formula = await send(managementKey, '/reactor-formulas', { name: 'F', type: 'private', code })
  const on = { name: 'R', configuration: {}, formula: { id: formula.json.id } }
  const reactor = await send(managementKey, '/reactors', on)
  const choose = (headers: JsonObject) =>
    send(privateKey, `/reactors/${reactor.json.id}/react`, { args: { status: 200, headers } })
  t.equal((await choose({ 'x-mine': 'a' })).headers.get('x-mine'), 'a')
  const forged = await choose({ 'x-mine': 'a', 'x-trace-id': 'forged' })
  t.match(forged, { status: 500, json: { detail: /may not set x-trace-id/ } })
  t.notMatch(forged.headers.get('x-trace-id'), 'forged')
})

t.test('whatever else goes wrong is a 500 without any place of ours', async t => {
  const rows = [
    "module.exports = async () => { throw new Error('4242424242424242') }",
    "module.exports = () => { throw 'text' }",
    'module.exports = () => { throw null }',
    'module.exports = async req => req.args.not.there',
    'module.exports = () => { const a = {}; a.a = a; return { raw: a } }',
    'module.exports = () => ({ raw: 1n })',
    'module.exports = () => ({ raw: { f() {} } })',
    'module.exports = () => 7',
    "module.exports = () => ({ raw: 'x'.repeat(5 * 1024 * 1024) })",
    "require('node:inspector')\nmodule.exports = () => ({})",
  ]
  // A development server says more, which is the formula's own.
  for (const [tenant, dev] of [
    [await openTenant(openReactors(t, { dev: false })), false],
    [await openTenant(vault), true],
  ] as const) {
    for (const code of rows) {
      const reply = await (await reactorOn(tenant, code))()
      t.match(reply, { status: 500, json: { title: 'Reactor Runtime Error', type: /reactor_runtime/ } }, code)
      const { explanation, ...problem } = reply.json
      t.equal(explanation !== undefined, dev)
      const text = JSON.stringify(problem)
      t.notMatch(text, /\/work|node_modules|\.ts\b|\n *at |:\d+:\d+|file:/, code)
      t.equal(/threw an Error.*: 4242424242424242/.test(text), dev && code === rows[0], code)
      const ours = /\/work|node_modules|\.ts\b|runner\.js|surrogate:|file:/
      t.notMatch(JSON.stringify(explanation ?? ''), ours, code)
    }
  }
})

t.test('a full queue is 429 with Retry-After', async t => {
  const busy = { run: async () => ({ kind: 'busy' }) as const, close: async () => {} }
  const tenant = await openTenant(openReactors(t, {}, { sandbox: busy }))
  const reply = await (await reactorOn(tenant, echo))()
  t.match(reply, { status: 429, json: { type: /rate_limited/ } })
  t.equal(reply.headers.get('retry-after'), '1', 'when to try again')
})

t.test('a reactor that does not fit its formula any more is refused', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  const { id } = await makeReactor(tenant, formula.id)
  const react = () => tenant.send('POST', `/reactors/${id}/react`, {})
  t.equal((await react()).status, 200)
  const configuration = [{ name: 'NEW', type: 'string' }]
  const changed = { name: 'F', type: 'private', code: echo, configuration }
  await tenant.asManagement('PUT', `/reactor-formulas/${formula.id}`, changed)
  t.match(await react(), { status: 400, json: { errors: { 'configuration.NEW': [String] } } })
  await tenant.asManagement('PATCH', `/reactors/${id}`, { configuration: { NEW: 'x' } })
  t.match(await react(), { status: 200, json: { raw: { configuration: { NEW: 'x' } } } })
})
