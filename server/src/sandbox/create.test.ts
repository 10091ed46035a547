import fc from 'fast-check'
import t from 'tap'
import { body, openSandbox } from './_fixture.ts'
import type { Outcome, ServiceRequest } from './sandbox.ts'

const sandbox = openSandbox(t, { headerPrefix: 'ACME' })

const errors = `const errors = require('@surrogate/formula-errors');`
const refusals: readonly [name: string, thrown: string, expected: Partial<Outcome>][] = [
  [
    'text',
    `new errors.BadRequestError('no')`,
    { kind: 'refused', error: 'BadRequestError', errors: { error: ['no'] } },
  ],
  ['a list', `new errors.AuthenticationError(['a', 2])`, { kind: 'refused', errors: { error: ['a', '2'] } }],
  [
    'an object',
    `new errors.AuthorizationError({ x: 'a', y: ['b'] })`,
    { kind: 'refused', errors: { x: ['a'], y: ['b'] } },
  ],
  [
    'an Error',
    `new errors.RateLimitError(new Error('slow'))`,
    { kind: 'refused', errors: { error: ['slow'] } },
  ],
  [
    'nothing',
    `new errors.InvalidPaymentMethodError()`,
    { kind: 'refused', error: 'InvalidPaymentMethodError', errors: {} },
  ],
  ['runtime', `new errors.ReactorRuntimeError('x')`, { kind: 'refused', error: 'ReactorRuntimeError' }],
  [
    'configuration',
    `new errors.InvalidReactorConfigurationError()`,
    { kind: 'refused', error: 'InvalidReactorConfigurationError' },
  ],
  [
    'a subclass',
    `new (class Mine extends errors.BadRequestError { constructor() { super('m'); this.name = 'Mine' } })()`,
    { kind: 'refused', error: 'BadRequestError', errors: { error: ['m'] } },
  ],
]

for (const [name, thrown, expected] of refusals) {
  t.test(`an error class with ${name} is a refusal`, async t => {
    t.match(await sandbox.formula(`${errors} module.exports = async () => { throw ${thrown} }`), expected)
  })
}

t.test('a path of an error class named __proto__ is a failure that says so', async t => {
  const thrown = (errors: string) =>
    sandbox.formula(
      `const { BadRequestError: E } = require('@surrogate/formula-errors'); module.exports = () => { throw new E(JSON.parse('${errors}')) }`,
    )
  const refused = { kind: 'failed', reason: 'shape', detail: /^errors\.__proto__ is not allowed/ }
  t.match(await thrown('{"a": "b", "__proto__": "c"}'), refused)
  t.match(await thrown('{"a": "b", "proto": "c"}'), { kind: 'refused', errors: { a: ['b'], proto: ['c'] } })
  t.match(await thrown('{"a": {"__proto__": 1}}'), { kind: 'refused', errors: { a: ['{"__proto__":1}'] } })
})

t.test('an error thrown while the code is loaded has the same outcome', async t => {
  t.match(await sandbox.formula(`${errors} throw new errors.BadRequestError('early')`), { kind: 'refused' })
})

t.test('an error that only looks like one of the classes is a failure', async t => {
  const lookalike = body(`const e = new Error('x'); e.name = 'BadRequestError'; e.errors = {}; throw e`)
  t.match(await sandbox.formula(lookalike), { kind: 'failed', reason: 'threw' })
})

const custom = (given: string) =>
  sandbox.formula(
    `${errors} module.exports = async () => { throw new errors.CustomHttpResponseError(${given}) }`,
  )

t.test('a formula chooses its response, within limits', async t => {
  t.same(await custom(`{ status: 402, headers: { 'X-Reason': 'funds' }, body: { a: [1] } }`), {
    kind: 'custom',
    status: 402,
    headers: { 'x-reason': 'funds' },
    body: { a: [1] },
  })
  t.same(await custom(`{ status: 204 }`), { kind: 'custom', status: 204, headers: {} })
  const refused: readonly [given: string, detail: RegExp][] = [
    ['', /object with status/],
    [`{ body: 1 }`, /status from 200 to 599/],
    [`{ status: 199 }`, /status from 200 to 599/],
    [`{ status: 600 }`, /status from 200 to 599/],
    [`{ status: '402' }`, /status from 200 to 599/],
    [
      `{ status: 200, headers: { 'Set-Cookie': 'a=b' } }`,
      /content-type and headers whose names begin with x-/,
    ],
    [`{ status: 200, headers: { 'x-a_b': 'c' } }`, /letters, digits and hyphens/],
    [`{ status: 200, headers: { ['x-' + 'a'.repeat(101)]: 'c' } }`, /letters, digits and hyphens/],
    [`{ status: 200, headers: { 'x-a': 'b\\r\\nset-cookie: c' } }`, /printable ASCII/],
    [`{ status: 200, headers: { 'x-a': 'b\\u0000' } }`, /printable ASCII/],
    [`{ status: 200, headers: { 'x-a': 'é' } }`, /printable ASCII/],
    [`{ status: 200, headers: { 'x-a': 1 } }`, /printable ASCII/],
    [`{ status: 200, headers: { 'x-a': '1', 'X-A': '2' } }`, /twice/],
    [`{ status: 200, headers: ['x-a'] }`, /headers as an object/],
    [`{ status: 204, body: {} }`, /does not allow/],
    [`{ status: 200, body: { f() {} } }`, /response\.body\.f is a function/],
    [
      `{ status: 200, headers: JSON.parse('{"__proto__": "a"}') }`,
      /response\.headers\.__proto__ is not allowed/,
    ],
    [
      `{ status: 200, body: [JSON.parse('{"__proto__": 1}')] }`,
      /response\.body\.0\.__proto__ is not allowed/,
    ],
    [`{ status: 200, body: new Map([[1, 2]]) }`, /response\.body is a Map/],
  ]
  for (const [given, detail] of refused) {
    t.match(await custom(given), { kind: 'failed', reason: 'shape', detail }, given)
  }
})

t.test(
  'formulas may not set headers that proxies or browsers act upon, nor those of the service',
  async t => {
    const withHeader = (name: string) => custom(`{ status: 200, headers: { '${name}': '/etc/passwd' } }`)
    // `egress/reserved-headers.test.ts` has all of them.
    const interpreted = ['X-Accel-Redirect', 'x-sendfile2', 'X-LIGHTTPD-send-file', 'x-frame-options']
    for (const name of interpreted) {
      const detail = new RegExp(`may not set ${name.toLowerCase()}: proxies, browsers or clients`)
      t.match(await withHeader(name), { kind: 'failed', reason: 'shape', detail }, name)
    }
    for (const name of ['x-accelerated', 'x-forwarded-for', 'x-acme-trace-id']) {
      t.match(await withHeader(name), { kind: 'custom', headers: { [name]: '/etc/passwd' } }, name)
    }
    const own = openSandbox(t, { headerPrefix: 'X-Acme' })
    const thrown = (name: string) =>
      own.formula(
        `${errors} module.exports = () => { throw new errors.CustomHttpResponseError({ status: 200, headers: { '${name}': 'a' } }) }`,
      )
    for (const name of ['X-ACME-Trace-Id', 'x-acme-anything']) {
      t.match(await thrown(name), { kind: 'failed', detail: /clients of this service act upon it/ }, name)
    }
    t.match(await thrown('x-acmeish'), { kind: 'custom' })
  },
)

t.test('the content type of a chosen response must be JSON', async t => {
  const typed = (type: string) =>
    custom(`{ status: 200, headers: { 'Content-Type': '${type}' }, body: '<script>' }`)
  const json = ['application/json', 'Application/Problem+JSON', 'application/vnd.shop.v2+json; charset=utf-8']
  for (const type of json)
    t.match(await typed(type), { kind: 'custom', headers: { 'content-type': type } }, type)
  const others = [
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/json',
    'application/javascript',
    '',
  ]
  const tricks = [
    'application/json, text/html',
    'application/json; charset=utf-7',
    'text/html; application/json',
  ]
  for (const type of [...others, ...tricks]) {
    t.match(
      await typed(type),
      { kind: 'failed', reason: 'shape', detail: /as content-type, because the body is JSON/ },
      type,
    )
  }
})

t.test('the number and length of headers of a chosen response are limited', async t => {
  const many = (count: number, length: number) =>
    custom(
      `{ status: 200, headers: Object.fromEntries(Array.from({ length: ${count} }, (_, i) => ['x-' + (100 + i), 'v'.repeat(${length})])) }`,
    )
  t.match(await many(50, 115), { kind: 'custom' })
  t.match(await many(51, 1), { kind: 'failed', detail: /at most 50 headers/ })
  t.match(await many(50, 116), { kind: 'failed', detail: /at most 6000 characters in total/ })
})

const unusable: readonly [code: string, detail: RegExp][] = [
  ['', /exports no function/],
  ['module.exports = { handler() {} }', /exports no function/],
  ['module.exports = async req => {', /does not compile/],
  ['}); evil(); (function () {', /does not compile/],
  ['export default async () => ({})', /does not compile/],
  ['await 1', /does not compile/],
  ['module.exports = async () => import("node:fs")', /import is not supported; use require \(1:29\)/],
  ['with ({}) {}', /does not compile/],
]
for (const [code, detail] of unusable) {
  t.test(`unusable: ${code}`, async t => {
    t.match(await sandbox.formula(code), { kind: 'unusable', detail })
  })
}

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

const notJson: readonly [answer: string, reason: string, detail: RegExp][] = [
  ['undefined', 'shape', /must return an object/],
  ['"text"', 'shape', /must return an object/],
  ['{ result: 1 }', 'shape', /neither raw nor tokenize/],
  ['{ raw: { a: [1n] } }', 'shape', /^raw\.a\.0 is a BigInt/],
  ['{ raw: { f() {} } }', 'shape', /^raw\.f is a function/],
  ['{ raw: [Symbol()] }', 'shape', /^raw\.0 is a symbol/],
  ['{ raw: [undefined] }', 'shape', /^raw\.0 is undefined/],
  ['{ raw: NaN }', 'shape', /^raw is not a finite number/],
  ['{ tokenize: { a: Infinity } }', 'shape', /^tokenize\.a is not a finite number/],
  [
    '(() => { const a = {}; a.self = a; return { raw: a } })()',
    'shape',
    /^raw\.self is a circular reference/,
  ],
  ['{ raw: { a: [JSON.parse(\'{"__proto__": 1}\')] } }', 'shape', /^raw\.a\.0\.__proto__ is not allowed/],
  ['{ tokenize: { ["__proto__"]: 1 } }', 'shape', /^tokenize\.__proto__ is not allowed/],
  ['{ raw: new Number(NaN) }', 'shape', /^raw is not a finite number/],
  ['{ raw: { a: new Map([[1, 2]]) } }', 'shape', /^raw\.a is a Map/],
  ['{ raw: { later: Promise.resolve(1) } }', 'shape', /^raw\.later is a Promise/],
  ['{ raw: { error: new TypeError("x") } }', 'shape', /^raw\.error is an Error/],
  ['{ raw: new Headers({ a: "b" }) }', 'shape', /^raw is a Headers/],
  ['{ raw: { bytes: new Uint8Array([1]) } }', 'shape', /^raw\.bytes is a Uint8Array/],
  ['{ raw: (function* () { yield 1 })() }', 'shape', /^raw is a Generator/],
  ['{ raw: new (class Card { number = 1 })() }', 'shape', /^raw is a Card/],
  ['{ raw: { toJSON: () => new Map() } }', 'shape', /^raw is a Map/],
  ['{ raw: [new String("x".repeat(6e6))] }', 'output', /longer than 5242880 bytes/],
  ['{ raw: Array.from({ length: 65 }).reduce(a => [a], 1) }', 'shape', /nested deeper than 64/],
  ['{ raw: Array(100_001).fill(0) }', 'shape', /^raw has more than 100000 members and elements/],
  ['{ raw: "x".repeat(3e6), tokenize: ["y".repeat(3e6)] }', 'output', /longer than 5242880 bytes/],
]
for (const [answer, reason, detail] of notJson) {
  t.test(`an answer that is not JSON: ${answer}`, async t => {
    t.match(await sandbox.formula(body(`return ${answer}`)), { kind: 'failed', reason, detail })
  })
}

t.test('JSON values are returned unchanged', async t => {
  const value = { a: [1, -0.5, 'é\u0000"\\', true, null, {}, []], 'b.c': { toJSON: 1 } }
  t.same(await sandbox.raw(body('return { raw: req.args }'), { args: value }), value)
  t.same(await sandbox.raw(body('return { raw: { left: undefined, at: new Date(0) } }')), {
    at: '1970-01-01T00:00:00.000Z',
  })
  t.equal(
    ((await sandbox.raw(body('return { raw: "x".repeat(5 * 1024 * 1024 - 100) }'))) as string).length,
    5 * 1024 * 1024 - 100,
  )
  t.same(
    await sandbox.raw(
      body(`return { raw: [new Boolean(false), Object.create(null), new URL('http://a.test'),
        new (class { toJSON() { return 'own' } })()] }`),
    ),
    [false, {}, 'http://a.test/', 'own'],
  )
  t.same(
    await sandbox.raw(
      body(`return { raw: [-0, new Number(1), new String('a'), 2 ** 60, 'a\\ud800', { proto: 1 }] }`),
    ),
    [0, 1, 'a', 2 ** 60, 'a\ud800', { proto: 1 }],
  )
  const deepest = Array.from({ length: 64 }).reduce<unknown>(inner => [inner], 1)
  t.same(await sandbox.raw(body('return { raw: req.args }'), { args: deepest as never }), deepest)
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
    { level: 'log', text: 'a { b: [ 1, "c" ] } undefined 2n' },
    { level: 'error', text: 'TypeError: d' },
    { level: 'warn', text: 'Map [ [ 1, Set [ 2 ] ] ]' },
  ])
  t.equal(sandbox.lines[3]?.text.length, 4096)
  sandbox.lines.length = 0
  t.equal(await sandbox.raw(body('for (let i = 0; i < 5000; i++) console.log(i); return { raw: 1 }')), 1)
  t.equal(sandbox.lines.length, 100)
})

t.test('a closed sandbox runs nothing, and an unused one has started nothing', async t => {
  const unused = openSandbox(t)
  t.equal(unused.isolation(), undefined)
  t.same(unused.counts(), { alive: 0, started: 0, ended: 0, ends: {} })
  await unused.close()
  t.match(await unused.formula(body('return { raw: 1 }')), { kind: 'failed', reason: 'crash' })
})
