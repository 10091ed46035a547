import t from 'tap'
import {
  echo,
  makeFormula,
  makeReactor,
  makeToken,
  openReactors,
  reactorOn,
} from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'

const vault = openReactors(t)
const errors = "const errors = require('@surrogate/formula-errors')\n"

t.test('raw output is answered as it is', async t => {
  const tenant = await openTenant(vault)
  const rows = [{ a: [1, null, { b: 'é' }] }, [], 'text', 0, false, null]
  for (const raw of rows) {
    const react = await reactorOn(tenant, `module.exports = async () => (${JSON.stringify({ raw })})`)
    const reply = await react()
    t.equal(reply.status, 200, reply.text)
    t.same(reply.json, { raw })
    t.equal(reply.text, JSON.stringify({ raw }))
  }
  const plain = await reactorOn(tenant, 'module.exports = function (req) { return { raw: typeof req.svc } }')
  t.match(
    (await plain()).json,
    { raw: 'object' },
    'a plain function, too; svc is null without an application',
  )
  t.same((await (await reactorOn(tenant, 'module.exports = () => ({})'))()).json, {})
})

t.test('tokens are made all, or none', async t => {
  const tenant = await openTenant(vault)
  const wrong = await reactorOn(
    tenant,
    "module.exports = () => ({ tokenize: { a: 'x', b: { type: 'card', data: { number: '1' } } } })",
  )
  t.match(await wrong(), { status: 400, json: { errors: { 'tokenize.b.data.number': [String] } } })
  const taken = await makeToken(tenant, { id: 'taken', data: 1 })
  const clash = await reactorOn(
    tenant,
    `module.exports = () => ({ tokenize: ['x', { type: 'token', id: '${taken}', data: 1 }] })`,
  )
  t.match(await clash(), { status: 409, json: { type: /conflict/, errors: { 'tokenize.1.id': [String] } } })
  const many = await reactorOn(
    tenant,
    'module.exports = () => ({ tokenize: Array.from({ length: 101 }, (_, i) => i) })',
  )
  t.match(await many(), { status: 400, json: { errors: { tokenize: [/100/] } } })
  const lone = await reactorOn(tenant, "module.exports = () => ({ tokenize: ['\\ud800'] })")
  t.match(await lone(), { status: 500, json: { type: /reactor_runtime/ } }, 'what could not be kept as it is')
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1)
})

t.test('each error class has its status', async t => {
  const tenant = await openTenant(vault)
  const rows: [name: string, status: number, type: string][] = [
    ['BadRequestError', 400, 'validation'],
    ['InvalidReactorConfigurationError', 400, 'validation'],
    ['AuthenticationError', 401, 'unauthenticated'],
    ['InvalidPaymentMethodError', 402, 'payment_method'],
    ['AuthorizationError', 403, 'permission_denied'],
    ['RateLimitError', 429, 'rate_limited'],
    ['ReactorRuntimeError', 500, 'reactor_runtime'],
  ]
  for (const [name, status, type] of rows) {
    const code = `${errors}module.exports = async req => { throw new errors.${name}(req.args.with) }`
    const react = await reactorOn(tenant, code)
    const reply = await react({ args: { with: { 'args.amount': ['is too much'] } } })
    t.match(reply, { status, json: { type: `urn:surrogate:error:${type}`, status } }, name)
    t.same(reply.json.errors, { 'args.amount': ['is too much'] }, name)
    t.equal(reply.headers.get('content-type'), 'application/problem+json', name)
    t.equal(reply.headers.get('retry-after'), null, name)
    t.match(
      await react({ args: { with: 'a text' } }),
      { status, json: { errors: { error: ['a text'] } } },
      name,
    )
    t.equal((await react()).status, status, `${name} without anything`)
  }
  const log = await tenant.asManagement('GET', '/logs?size=100')
  t.notOk(
    log.json.data.some(({ outcome }: JsonObject) => outcome === 'refused'),
    'no rule of ours refused anything',
  )
})

t.test('a formula may choose the whole response', async t => {
  const tenant = await openTenant(vault)
  const code = `${errors}module.exports = async req => { throw new errors.CustomHttpResponseError(req.args) }`
  const react = await reactorOn(tenant, code)
  const headers = {
    'X-Shop': 'a',
    'content-type': 'application/vnd.shop+json',
  }
  for (const status of [200, 201, 299, 302, 402, 404, 418, 500, 503, 599]) {
    const reply = await react({ args: { status, headers, body: { any: ['thing', status] } } })
    t.equal(reply.status, status, reply.text)
    t.same(JSON.parse(reply.text), { any: ['thing', status] })
    t.same(
      [...reply.headers.keys()],
      ['cache-control', 'content-type', 'svc-trace-id', 'vary', 'x-content-type-options', 'x-shop'],
    )
    t.equal(reply.headers.get('x-content-type-options'), 'nosniff')
    t.equal(reply.headers.get('content-type'), 'application/vnd.shop+json')
  }
  for (const body of [null, 'text', 7, [1]]) {
    const reply = await react({ args: { status: 418, body } })
    t.equal(reply.text, JSON.stringify(body))
    t.equal(reply.headers.get('content-type'), 'application/json')
  }
  t.match(await react({ args: { status: 202 } }), { status: 202, text: '' })
  t.match(await react({ args: { status: 204 } }), { status: 204, text: '' })
  const refused: JsonObject[] = [
    ...[100, 199, 600, 200.5].map(status => ({ status, body: {} })),
    ...['set-cookie', 'location', 'SVC-TRACE-ID', 'x-accel-redirect', 'content-type'].map(name => ({
      status: 200,
      headers: { [name]: 'x' },
    })),
    { status: 204, body: {} },
  ]
  for (const args of refused) {
    t.match(await react({ args }), { status: 500, json: { type: /reactor_runtime/ } }, JSON.stringify(args))
  }
})

t.test('nor may it do so where our own headers begin with x-', async t => {
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

t.test('code that is not a function is 422, as is missing code', async t => {
  const tenant = await openTenant(vault)
  for (const code of [
    'module.exports = {',
    'module.exports = { not: "a function" }',
    '',
    '1',
    'exports.a = () => 1',
  ]) {
    const react = await reactorOn(tenant, code)
    t.match(await react(), { status: 422, json: { type: 'urn:surrogate:error:unprocessable' } }, code)
  }
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
    "require('node:fs')\nmodule.exports = () => ({})",
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

t.test('there is no reactor: 404, in the order of checks', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const react = await reactorOn(tenant, echo)
  t.equal((await other.send('POST', react.path, {})).status, 404, "another tenant's")
  t.equal(
    (await tenant.send('POST', '/reactors/5b493235-6917-4307-906a-2cd6f1a90b13/react', { args: { a: '{{' } }))
      .status,
    404,
  )
  t.equal((await tenant.send('POST', '/reactors/no-uuid/react', {})).status, 400)
  t.equal((await tenant.send('POST', react.path, { args: [] })).status, 200, 'a list is one')
  t.equal((await tenant.send('POST', react.path, { args: 5 })).status, 400)
  t.equal((await tenant.send('POST', react.path, {}, { 'Content-Type': 'text/plain' })).status, 415)
})

t.test('an idempotency key repeats a success, and runs a failure again', async t => {
  const tenant = await openTenant(vault)
  const code = `${errors}module.exports = async req => {
    if (req.args.fail) throw new errors.CustomHttpResponseError({ status: 503, body: { at: Math.random() } })
    if (req.args.choose) throw new errors.CustomHttpResponseError({ status: 201, headers: { 'x-at': String(Math.random()) }, body: Math.random() })
    return { tokenize: req.args.make ? [{ type: 'token', data: Math.random(), mask: '{{ data }}' }, 'x'] : undefined, raw: Math.random() }
  }`
  const react = await reactorOn(tenant, code)
  const twice = async (args: JsonObject) => {
    const headers = { 'SVC-IDEMPOTENCY-KEY': `key of ${JSON.stringify(args)}` }
    return [await react({ args }, headers), await react({ args }, headers)] as const
  }
  const total = async () => (await tenant.send('GET', '/tokens')).json.pagination.total_items
  for (const args of [{}, { make: true }, { choose: true }]) {
    const [first, second] = await twice(args)
    t.ok(first.status < 300, first.text)
    t.equal(second.status, first.status)
    t.equal(second.text, first.text, JSON.stringify(args))
    t.equal(second.headers.get('x-at'), first.headers.get('x-at'))
  }
  t.equal(await total(), 2, 'tokens are made once')
  const [first, second] = await twice({ fail: true })
  t.same([first.status, second.status], [503, 503])
  t.not(first.text, second.text)
  t.equal((await react({ args: { a: 1 } }, { 'SVC-IDEMPOTENCY-KEY': 'key of {}' })).status, 422)
})
