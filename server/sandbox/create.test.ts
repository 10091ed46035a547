import fc from 'fast-check'
import t from 'tap'
import { body, openSandbox } from './_fixture.ts'
import type { Outcome, ServiceRequest } from './sandbox.ts'

const sandbox = openSandbox(t, { headerPrefix: 'ACME' })

t.test('a formula gets its request and answers', async t => {
  const outcome = await sandbox.formula('module.exports = async req => ({ raw: req, tokenize: { a: 1 } })', {
    args: { card: { number: '4242' } },
    configuration: { live: true },
  })
  t.same(outcome, {
    kind: 'answered',
    raw: { args: { card: { number: '4242' } }, configuration: { live: true }, svc: null, acme: null },
    tokenize: { a: 1 },
  })
  t.same(await sandbox.formula('exports = module.exports = () => ({ raw: null })'), {
    kind: 'answered',
    raw: null,
  })
  t.same(await sandbox.formula('module.exports = () => ({ raw: 1, tokenize: null })'), {
    kind: 'answered',
    raw: 1,
  })
  t.same(await sandbox.formula('module.exports = () => ({})'), { kind: 'answered' })
})

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
    'an heir',
    `new (class Mine extends errors.BadRequestError { constructor() { super('m'); this.name = 'Mine' } })()`,
    { kind: 'refused', error: 'BadRequestError', errors: { error: ['m'] } },
  ],
]

for (const [name, thrown, expected] of refusals) {
  t.test(`an error class given ${name} is a refusal`, async t => {
    t.match(await sandbox.formula(`${errors} module.exports = async () => { throw ${thrown} }`), expected)
  })
}

t.test('an error thrown while the code is loaded counts the same', async t => {
  t.match(await sandbox.formula(`${errors} throw new errors.BadRequestError('early')`), { kind: 'refused' })
})

t.test('what only looks like one of the classes is a failure', async t => {
  const lookalike = body(`const e = new Error('x'); e.name = 'BadRequestError'; e.errors = {}; throw e`)
  t.match(await sandbox.formula(lookalike), { kind: 'failed', reason: 'threw' })
})

const custom = (given: string) =>
  sandbox.formula(
    `${errors} module.exports = async () => { throw new errors.CustomHttpResponseError(${given}) }`,
  )

t.test('a response that the formula chooses', async t => {
  t.same(await custom(`{ status: 402, headers: { 'X-Reason': 'funds' }, body: { a: [1] } }`), {
    kind: 'custom',
    status: 402,
    headers: { 'x-reason': 'funds' },
    body: { a: [1] },
  })
  t.same(await custom(`{ status: 204 }`), { kind: 'custom', status: 204, headers: {} })
  const refused: readonly [given: string, detail: RegExp][] = [
    ['', /object of status/],
    [`{ body: 1 }`, /status from 200 to 599/],
    [`{ status: 199 }`, /status from 200 to 599/],
    [`{ status: 600 }`, /status from 200 to 599/],
    [`{ status: '402' }`, /status from 200 to 599/],
    [`{ status: 200, headers: { 'Set-Cookie': 'a=b' } }`, /content-type and headers that begin with x-/],
    [`{ status: 200, headers: { 'x-a': 'b\\r\\nset-cookie: c' } }`, /printable ASCII/],
    [`{ status: 200, headers: { 'x-a': 1 } }`, /printable ASCII/],
    [`{ status: 200, headers: { 'x-a': '1', 'X-A': '2' } }`, /twice/],
    [`{ status: 200, headers: ['x-a'] }`, /headers as an object/],
    [`{ status: 204, body: {} }`, /has not/],
    [`{ status: 200, body: { f() {} } }`, /response\.body\.f is a function/],
  ]
  for (const [given, detail] of refused) {
    t.match(await custom(given), { kind: 'failed', reason: 'shape', detail }, given)
  }
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

t.test('what was thrown is told by class and line, never by its message', async t => {
  const thrown = async (text: string) => {
    const outcome = await sandbox.formula(`module.exports = async () => {\n  throw ${text}\n}`)
    return (outcome as { detail?: string }).detail
  }
  t.equal(await thrown(`new TypeError('4242424242424242')`), 'the formula threw a TypeError at line 2')
  t.equal(await thrown(`new (class Card4242 extends Error {})()`), 'the formula threw an Error at line 2')
  t.equal(await thrown(`'4242424242424242'`), 'the formula threw a value that is no Error')
  t.equal(
    await thrown(`new Proxy({}, { getPrototypeOf() { throw 1 } })`),
    'the formula threw a value that cannot be read',
  )
})

const notJson: readonly [answer: string, reason: string, detail: RegExp][] = [
  ['undefined', 'shape', /answers with an object/],
  ['"text"', 'shape', /answers with an object/],
  ['{ result: 1 }', 'shape', /neither raw nor tokenize/],
  ['{ raw: { a: [1n] } }', 'shape', /^raw\.a\.0 is a BigInt/],
  ['{ raw: { f() {} } }', 'shape', /^raw\.f is a function/],
  ['{ raw: [Symbol()] }', 'shape', /^raw\.0 is a symbol/],
  ['{ raw: [undefined] }', 'shape', /^raw\.0 is undefined/],
  ['{ raw: NaN }', 'shape', /^raw is not a finite number/],
  ['{ tokenize: { a: Infinity } }', 'shape', /^tokenize\.a is not a finite number/],
  ['(() => { const a = {}; a.self = a; return { raw: a } })()', 'shape', /^raw\.self refers back/],
  ['{ raw: Array.from({ length: 70 }).reduce(a => [a], 1) }', 'shape', /nested deeper than 64/],
  ['{ raw: "é".repeat(3e6) }', 'output', /longer than 5242880 bytes/],
  ['{ raw: "x".repeat(3e6), tokenize: ["y".repeat(3e6)] }', 'output', /longer than 5242880 bytes/],
]
for (const [answer, reason, detail] of notJson) {
  t.test(`an answer that is no JSON: ${answer}`, async t => {
    t.match(await sandbox.formula(body(`return ${answer}`)), { kind: 'failed', reason, detail })
  })
}

t.test('what JSON has comes back as it was', async t => {
  const value = { a: [1, -0.5, 'é\u0000"\\', true, null, {}, []], 'b.c': { toJSON: 1 } }
  t.same(await sandbox.raw(body('return { raw: req.args }'), { args: value }), value)
  t.same(await sandbox.raw(body('return { raw: { left: undefined, at: new Date(0) } }')), {
    at: '1970-01-01T00:00:00.000Z',
  })
  t.equal(
    ((await sandbox.raw(body('return { raw: "x".repeat(5 * 1024 * 1024 - 100) }'))) as string).length,
    5 * 1024 * 1024 - 100,
  )
  const deepest = Array.from({ length: 63 }).reduce<unknown>(inner => [inner], 1)
  t.same(await sandbox.raw(body('return { raw: req.args }'), { args: deepest as never }), deepest)
})

t.test('any JSON goes in and comes out', async t => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async value => {
      const text = JSON.stringify(value)
      // A request may not hold it, and an answer loses it.
      fc.pre(!text.includes('__proto__'))
      const args = JSON.parse(text)
      const raw = await sandbox.raw(body('return { raw: [req.args] }'), { args })
      return JSON.stringify(raw) === JSON.stringify([args])
    }),
    { numRuns: 100 },
  )
  t.pass()
})

t.test('the client asks the host, under both names, and cannot say who it is', async t => {
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

t.test('what formulas print goes to the host, bounded', async t => {
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

t.test('nothing runs in a sandbox that is closed, and nothing was started by one never used', async t => {
  const unused = openSandbox(t)
  t.equal(unused.isolation(), undefined)
  t.same(unused.counts(), { alive: 0, started: 0, ended: 0 })
  await unused.close()
  t.match(await unused.formula(body('return { raw: 1 }')), { kind: 'failed', reason: 'crash' })
})
