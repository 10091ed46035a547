import fc from 'fast-check'
import t from 'tap'
import { body, openSandbox } from './_fixture.ts'
import type { ServiceRequest } from './sandbox.ts'

const sandbox = openSandbox(t, { headerPrefix: 'ACME' })

const errors = `const errors = require('@surrogate/formula-errors');`
const thrown = (value: string, within = sandbox) =>
  within.formula(`${errors} module.exports = async () => { throw ${value} }`)

/** By what is thrown: the class, and what the caller is told. */
const refusals: Readonly<Record<string, readonly [error: string, told: object]>> = {
  "BadRequestError('no')": ['BadRequestError', { error: ['no'] }],
  "AuthenticationError(['a', 2])": ['AuthenticationError', { error: ['a', '2'] }],
  "AuthorizationError({ x: 'a', y: ['b'] })": ['AuthorizationError', { x: ['a'], y: ['b'] }],
  "RateLimitError(new Error('slow'))": ['RateLimitError', { error: ['slow'] }],
  'InvalidPaymentMethodError()': ['InvalidPaymentMethodError', {}],
  'BadRequestError({ a: JSON.parse(\'{"__proto__": 1}\') })': ['BadRequestError', { a: ['{"__proto__":1}'] }],
}

t.test('an error class is a refusal, also of a subclass and while the code is loaded', async t => {
  for (const [made, [error, told]] of Object.entries(refusals))
    t.same(await thrown(`new errors.${made}`), { kind: 'refused', error, errors: told }, made)
  const subclass = `class extends errors.BadRequestError { constructor() { super('m'); this.name = 'Mine' } }`
  t.match(await thrown(`new (${subclass})()`), { error: 'BadRequestError', errors: { error: ['m'] } })
  t.match(await sandbox.formula(`${errors} throw new errors.BadRequestError('early')`), { kind: 'refused' })
  const lookalike = `Object.assign(new Error('x'), { name: 'BadRequestError', errors: {} })`
  t.match(await thrown(lookalike), { kind: 'failed', reason: 'threw' })
})

const custom = (given: string, within = sandbox) =>
  thrown(`new errors.CustomHttpResponseError(${given})`, within)
const shape = (detail: RegExp) => ({ kind: 'failed', reason: 'shape', detail })

t.test('a formula chooses its response, within limits', async t => {
  t.same(await custom(`{ status: 402, headers: { 'X-Reason': 'funds' }, body: { a: [1] } }`), {
    kind: 'custom',
    status: 402,
    headers: { 'x-reason': 'funds' },
    body: { a: [1] },
  })
  t.same(await custom(`{ status: 204 }`), { kind: 'custom', status: 204, headers: {} })
  const refused: Readonly<Record<string, RegExp>> = {
    '': /object with status/,
    '{ body: 1 }': /status from 200 to 599/,
    '{ status: 199 }': /status from 200 to 599/,
    '{ status: 600 }': /status from 200 to 599/,
    "{ status: '402' }": /status from 200 to 599/,
    "{ status: 200, headers: ['x-a'] }": /headers as an object/,
    '{ status: 204, body: {} }': /does not allow/,
    '{ status: 200, body: { f() {} } }': /response\.body\.f is a function/,
  }
  for (const [given, detail] of Object.entries(refused)) t.match(await custom(given), shape(detail), given)
  const headers: Readonly<Record<string, RegExp>> = {
    "{ 'Set-Cookie': 'a=b' }": /content-type and headers whose names begin with x-/,
    "{ 'x-a_b': 'c' }": /letters, digits and hyphens/,
    "{ ['x-' + 'a'.repeat(101)]: 'c' }": /letters, digits and hyphens/,
    "{ 'x-a': 'b\\r\\nset-cookie: c' }": /printable ASCII/,
    "{ 'x-a': 'b\\u0000' }": /printable ASCII/,
    "{ 'x-a': 'é' }": /printable ASCII/,
    "{ 'x-a': 1 }": /printable ASCII/,
    "{ 'x-a': '1', 'X-A': '2' }": /twice/,
    // `egress/reserved-headers.test.ts` has all of them.
    "{ 'X-LIGHTTPD-send-file': 'a' }": /may not set x-lighttpd-send-file: proxies, browsers or clients/,
  }
  for (const [given, detail] of Object.entries(headers))
    t.match(await custom(`{ status: 200, headers: ${given} }`), shape(detail), given)
  const many = (count: number, length: number) =>
    custom(
      `{ status: 200, headers: Object.fromEntries(Array.from({ length: ${count} }, (_, i) => ['x-' + (100 + i), 'v'.repeat(${length})])) }`,
    )
  t.match(await many(50, 115), { kind: 'custom' })
  t.match(await many(51, 1), shape(/at most 50 headers/))
  t.match(await many(50, 116), shape(/at most 6000 characters in total/))
})

t.test('a formula may not set headers of the service', async t => {
  const own = openSandbox(t, { headerPrefix: 'X-Acme' })
  const withHeader = (name: string, within = own) =>
    custom(`{ status: 200, headers: { '${name}': 'a' } }`, within)
  for (const name of ['X-ACME-Trace-Id', 'x-acme-anything'])
    t.match(await withHeader(name), shape(/clients of this service act upon it/), name)
  for (const name of ['x-acmeish', 'x-accelerated', 'x-forwarded-for'])
    t.match(await withHeader(name), { kind: 'custom', headers: { [name]: 'a' } }, name)
  t.match(await withHeader('x-acme-trace-id', sandbox), { kind: 'custom' }, 'the prefix of another service')
})

t.test('the content type of a chosen response must be JSON', async t => {
  const typed = (type: string) =>
    custom(`{ status: 200, headers: { 'Content-Type': '${type}' }, body: '<script>' }`)
  for (const type of [
    ...['application/json', 'Application/Problem+JSON', 'application/vnd.shop.v2+json; charset=utf-8'],
  ])
    t.match(await typed(type), { kind: 'custom', headers: { 'content-type': type } }, type)
  for (const type of [
    ...['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/json', 'application/javascript', ''],
    ...['application/json, text/html', 'application/json; charset=utf-7', 'text/html; application/json'],
  ])
    t.match(await typed(type), shape(/as content-type, because the body is JSON/), type)
})

t.test('a failure names the class and line of a thrown value, never its message', async t => {
  const thrown = async (text: string) => {
    const outcome = await sandbox.formula(`module.exports = async () => {\n  throw ${text}\n}`)
    return (outcome as { detail?: string }).detail
  }
  t.equal(await thrown(`new TypeError('4242424242424242')`), 'the formula threw a TypeError at line 2')
  t.equal(await thrown(`new (class Card4242 extends Error {})()`), 'the formula threw an Error at line 2')
  t.equal(await thrown(`'4242424242424242'`), 'the formula threw a value that is not an Error')
  t.equal(
    await thrown(`new Proxy({}, { getPrototypeOf() { throw 1 } })`),
    'the formula threw a value that cannot be inspected',
  )
})

/** INV-510 has further objects that are refused. */
const notJson: Readonly<Record<string, RegExp>> = {
  undefined: /must return an object/,
  '"text"': /must return an object/,
  '{ result: 1 }': /neither raw nor tokenize/,
  '{ raw: { a: [1n] } }': /^raw\.a\.0 is a BigInt/,
  '{ raw: { f() {} } }': /^raw\.f is a function/,
  '{ raw: [Symbol()] }': /^raw\.0 is a symbol/,
  '{ raw: [undefined] }': /^raw\.0 is undefined/,
  '{ raw: NaN }': /^raw is not a finite number/,
  '{ tokenize: { a: Infinity } }': /^tokenize\.a is not a finite number/,
  '(() => { const a = {}; a.self = a; return { raw: a } })()': /^raw\.self is a circular reference/,
  '{ raw: { a: [JSON.parse(\'{"__proto__": 1}\')] } }': /^raw\.a\.0\.__proto__ is not allowed/,
  '{ tokenize: { ["__proto__"]: 1 } }': /^tokenize\.__proto__ is not allowed/,
  '{ raw: new Number(NaN) }': /^raw is not a finite number/,
  '{ raw: { later: Promise.resolve(1) } }': /^raw\.later is a Promise/,
  '{ raw: { error: new TypeError("x") } }': /^raw\.error is an Error/,
  '{ raw: new Headers({ a: "b" }) }': /^raw is a Headers/,
  '{ raw: (function* () { yield 1 })() }': /^raw is a Generator/,
  '{ raw: new (class Card { number = 1 })() }': /^raw is a Card/,
  '{ raw: { toJSON: () => new Map() } }': /^raw is a Map/,
  '{ raw: Array.from({ length: 65 }).reduce(a => [a], 1) }': /nested deeper than 64/,
  '{ raw: Array(100_001).fill(0) }': /^raw has more than 100000 members and elements/,
}
const tooLong = [
  '{ raw: [new String("x".repeat(6e6))] }',
  '{ raw: "x".repeat(3e6), tokenize: ["y".repeat(3e6)] }',
]

t.test('an answer that is not JSON is a failure that says where and why', async t => {
  const returned = (answer: string) => sandbox.formula(body(`return ${answer}`))
  for (const [answer, detail] of Object.entries(notJson))
    t.match(await returned(answer), shape(detail), answer)
  const output = { kind: 'failed', reason: 'output', detail: /longer than 5242880 bytes/ }
  for (const answer of tooLong) t.match(await returned(answer), output, answer)
})

t.test('JSON values are returned unchanged', async t => {
  const deepest = Array.from({ length: 64 }).reduce<unknown>(inner => [inner], 1)
  const values = { a: [1, -0.5, 'é\u0000"\\', true, null, {}, []], 'b.c': { toJSON: 1 } }
  for (const args of [values, deepest, 'x'.repeat(5 * 1024 * 1024 - 100)])
    t.same(await sandbox.raw(body('return { raw: req.args }'), { args: args as never }), args)
  const own = `new (class { toJSON() { return 'own' } })()`
  const written: readonly [text: string, raw: unknown][] = [
    ['{ left: undefined, at: new Date(0) }', { at: '1970-01-01T00:00:00.000Z' }],
    [
      `[new Boolean(false), Object.create(null), new URL('http://a.test'), ${own}]`,
      [false, {}, 'http://a.test/', 'own'],
    ],
    ['[-0, new Number(1), new String("a"), 2 ** 60, "a\\ud800"]', [0, 1, 'a', 2 ** 60, 'a\ud800']],
  ]
  for (const [text, raw] of written) t.same(await sandbox.raw(body(`return { raw: ${text} }`)), raw, text)
})

t.test('any JSON can be passed and returned', async t => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async value => {
      const text = JSON.stringify(value)
      // Not allowed in a request or an answer.
      fc.pre(!text.includes('__proto__'))
      const args = JSON.parse(text)
      const raw = await sandbox.raw(body('return { raw: [req.args] }'), { args })
      return JSON.stringify(raw) === JSON.stringify([args])
    }),
    { numRuns: 100 },
  )
  t.pass()
})

t.test('the client calls the host, under both names, and cannot choose its identity', async t => {
  const asked: ServiceRequest[] = []
  const svc = async (request: ServiceRequest) => {
    asked.push(request)
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"tok"}' }
  }
  const code = body(`
    const token = await req.svc.tokens.create({ type: 'token', data: 'é' }, { headers: { 'acme-api-key': 'forged', 'x-tenant': 'b', cookie: 'c' }, idempotencyKey: 'once' })
    return { raw: [token, req.svc === req.acme, typeof require] }
  `)
  t.same(await sandbox.raw(code, { svc }), [{ id: 'tok' }, true, 'function'])
  t.equal(asked.length, 1)
  t.match(asked[0], { method: 'POST', path: '/tokens' })
  t.same(asked[0]?.headers, { 'content-type': 'application/json', 'acme-idempotency-key': 'once' })
  t.same(JSON.parse(Buffer.from(asked[0]?.body ?? []).toString()), { type: 'token', data: 'é' })
  const refused = body(
    `try { await req.svc.tokens.get('a', { maxRetries: 0 }) } catch (e) { return { raw: [e.name, e.status ?? null] } }`,
  )
  const forbidden = {
    status: 403,
    headers: { 'content-type': 'application/problem+json' },
    body: '{"title":"no","status":403}',
  }
  t.same(await sandbox.raw(refused, { svc: async () => forbidden }), ['PermissionError', 403])
  const lost = async () => Promise.reject(new Error('/a/path/of/the/host'))
  t.same(await sandbox.raw(refused, { svc: lost }), ['ConnectionError', null])
})

t.test('the output of formulas is passed to the host, within limits', async t => {
  sandbox.lines.length = 0
  await sandbox.raw(
    body(`
    console.log('a', { b: [1, 'c'] }, undefined, 2n); console.error(new TypeError('d')); console.warn(new Map([[1, new Set([2])]]))
    console.debug('x'.repeat(10000)); return { raw: 1 }
  `),
  )
  t.same(sandbox.lines.slice(0, 3), [
    { level: 'log', text: "a { b: [ 1, 'c' ] } undefined 2n" },
    { level: 'error', text: 'TypeError: d' },
    { level: 'warn', text: 'Map(1) { 1 => Set(1) { 2 } }' },
  ])
  t.equal(sandbox.lines[3]?.text.length, 4096)
  sandbox.lines.length = 0
  t.equal(await sandbox.raw(body('for (let i = 0; i < 5000; i++) console.log(i); return { raw: 1 }')), 1)
  t.equal(sandbox.lines.length, 100)
})

t.test('a module that is not CommonJS is refused with what to write', async t => {
  const says = /^the code does not compile: a formula is CommonJS; write module\.exports = .+\(\d+:\d+\)$/
  for (const code of [
    'export default async () => ({ raw: 1 })',
    'import a from "a"\nmodule.exports = () => ({})',
  ])
    t.match(await sandbox.formula(code), { kind: 'unusable', detail: says }, code)
  t.match(await sandbox.formula('module.exports = async () => ({ raw: 1 })'), { kind: 'answered' }, 'control')
})

t.test('a closed sandbox runs nothing, and an unused one has started nothing', async t => {
  const unused = openSandbox(t)
  t.equal(unused.isolation(), undefined)
  t.same(unused.counts(), { alive: 0, started: 0, ended: 0, ends: {} })
  await unused.close()
  t.match(await unused.formula(body('return { raw: 1 }')), { kind: 'failed', reason: 'crash' })
})
