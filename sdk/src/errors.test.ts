import t from 'tap'
import { dropped, failure, fakeClient, problem } from '../testing/fakes.ts'
import * as sdk from './index.ts'

const { APIError, ConnectionError, ServerError, SurrogateError } = sdk

const failing = (answer: () => Response) =>
  fakeClient(answer, { maxRetries: 0 }).surrogate.tokens.get('an-id')

const classes: [number, string, typeof APIError][] = [
  [400, 'BadRequestError', sdk.BadRequestError],
  [401, 'AuthenticationError', sdk.AuthenticationError],
  [402, 'PaymentMethodError', sdk.PaymentMethodError],
  [403, 'PermissionError', sdk.PermissionError],
  [404, 'NotFoundError', sdk.NotFoundError],
  [405, 'APIError', APIError],
  [409, 'ConflictError', sdk.ConflictError],
  [413, 'PayloadTooLargeError', sdk.PayloadTooLargeError],
  [415, 'UnsupportedMediaTypeError', sdk.UnsupportedMediaTypeError],
  [418, 'APIError', APIError],
  [422, 'UnprocessableError', sdk.UnprocessableError],
  [429, 'RateLimitError', sdk.RateLimitError],
  [500, 'ServerError', ServerError],
  [501, 'NotImplementedError', sdk.NotImplementedError],
  [503, 'ServiceUnavailableError', sdk.ServiceUnavailableError],
  [599, 'ServerError', ServerError],
]

for (const [status, name, ErrorClass] of classes) {
  t.test(`${status} is a ${name}`, async t => {
    const error = await failure(failing(() => problem(status, 'x', { errors: { 'data.number': ['no'] } })))
    t.equal(error.constructor, ErrorClass)
    t.ok(error instanceof Error && error instanceof SurrogateError && error instanceof APIError)
    t.equal(error instanceof ServerError, status >= 500)
    t.equal(error.name, name)
    t.equal(error.message, `${status} Title: data.number: no`)
    t.match(error.stack, new RegExp(`^${name}: ${status} Title`))
    t.equal(error.status, status)
    t.equal(error.traceId, 'trace-1')
    t.same(error.errors, { 'data.number': ['no'] })
    t.equal(error.problem?.type, 'urn:surrogate:error:x')
    t.equal(error.headers?.get('svc-trace-id'), 'trace-1')
  })
}

t.test('the message has the first reasons', async t => {
  const messageOf = async (more: object) => (await failure(failing(() => problem(400, 'x', more)))).message
  t.equal(await messageOf({}), '400 Title: Detail.')
  t.equal(await messageOf({ errors: {} }), '400 Title: Detail.')
  t.equal(await messageOf({ detail: undefined }), '400 Title')
  const errors = { a: ['not a date', 'too early'], b: ['missing'], c: ['too long'], d: ['missing'] }
  t.equal(await messageOf({ errors }), '400 Title: a: not a date; a: too early; b: missing; 2 more')
  t.equal(await messageOf({ errors: { a: 'not a list' } }), '400 Title: a: not a list')
})

t.test('texts that may come from a formula are not in the message', async t => {
  const { surrogate } = fakeClient(() => problem(400, 'x', { errors: { 'args.card': ['4242424242424242'] } }))
  const error = await failure(surrogate.reactors.react('an-id', {}))
  t.equal(error.message, '400 Title: Detail.: args.card')
  t.same(error.errors, { 'args.card': ['4242424242424242'] })
})

t.test('an error without a problem document has the status', async t => {
  const html = '<html><h1>502 Bad Gateway</h1></html>'
  const error = await failure(
    failing(() => new Response(html, { status: 502, headers: { 'Content-Type': 'text/html' } })),
  )
  t.ok(error instanceof ServerError)
  t.equal(error.message, '502: the body is not a problem document')
  t.equal(error.problem, undefined)
  t.equal(error.traceId, undefined)
  t.same(error.errors, {})
  t.equal((error as sdk.APIError).body, html)
})

for (const body of ['', '{', 'null', '[]', '7', '"x"', '{"title":7}', '{"title":"a","errors":null}']) {
  t.test(`a problem document with the body ${body || '(none)'} is not used`, async t => {
    const headers = { 'Content-Type': 'application/problem+json; charset=utf-8' }
    const error = await failure(failing(() => new Response(body, { status: 404, headers })))
    t.ok(error instanceof sdk.NotFoundError)
    t.equal(error.problem, undefined)
    t.same(error.errors, {})
  })
}

t.test('the error for a response that a formula chose has its body, which is not printed', async t => {
  const { surrogate } = fakeClient(() => Response.json({ declined: 'do-not-print' }, { status: 418 }))
  const error = await failure(surrogate.reactors.react('an-id', {}))
  t.same((error as sdk.APIError).body, { declined: 'do-not-print' })
  const { inspect } = await import('node:util')
  t.notMatch(inspect(error, { showHidden: true, depth: 9 }), 'do-not-print')
})

t.test('a success that is not JSON is an error', async t => {
  const error = await failure(failing(() => new Response('<html>', { status: 200 })))
  t.equal(error.message, '200: the body is not JSON')
})

t.test('a lost connection is a ConnectionError with its cause', async t => {
  const error = await failure(failing(dropped))
  t.equal(error.constructor, ConnectionError)
  t.notOk(error instanceof APIError)
  t.match(error, {
    name: 'ConnectionError',
    status: undefined,
    errors: {},
    cause: { message: 'fetch failed' },
  })
})

t.test('invalid arguments are refused before anything is sent', async t => {
  const { surrogate, sent } = fakeClient(dropped)
  for (const call of [
    () => surrogate.tokens.get(''),
    () => surrogate.tokens.delete('..'),
    () => surrogate.tokens.list({ id: [] }),
    () => surrogate.tokens.get('an-id', { timeout: 0 }),
    () => surrogate.tokens.get('an-id', { timeout: Number.NaN }),
    () => surrogate.tokens.get('an-id', { maxRetries: -1 }),
    () => surrogate.tokens.get('an-id', { maxRetries: 0.5 }),
    () => surrogate.tokens.get('an-id', { apiKey: '' }),
  ])
    t.ok((await failure(call())) instanceof TypeError)
  t.equal(sent.length, 0)
})
