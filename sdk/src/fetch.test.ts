import t from 'tap'
import { apiKey, failure, json } from '../testing/fakes.ts'
import { ConnectionError, type Fetch, Surrogate } from './index.ts'

const noWaits = { sleep: async () => {}, random: () => 0, now: () => 0 }
const baseUrl = 'http://vault.test'

function clientWith(fetch: unknown) {
  let calls = 0
  const counted: Fetch = (...given) => {
    calls++
    return (fetch as Fetch)(...given)
  }
  return { surrogate: new Surrogate({ apiKey, baseUrl, fetch: counted }, noWaits), calls: () => calls }
}

// biome-ignore lint/suspicious/noExplicitAny: mistakes that the compiler would find.
const nothing: any = undefined
const mistakes: [string, () => unknown][] = [
  ['an unknown name', () => nothing_of_this_name],
  ['a member of undefined', () => nothing.member],
  ['a call of undefined', () => nothing()],
  ['a member that is not a function', () => ({ a: 1 as never as () => void }).a()],
  ['a loop over undefined', () => [...nothing]],
  ['an invalid URL', () => new URL('not a URL')],
  ['malformed JSON', () => JSON.parse('{')],
  ['a status out of range', () => new Response(null, { status: 99 })],
  ['no return value', () => undefined],
  ['a return value that is not a Response', () => ({ status: 200 })],
]
declare const nothing_of_this_name: unknown

for (const [name, mistake] of mistakes) {
  t.test(`a mistake in a custom fetch is thrown as it is, and not retried: ${name}`, async t => {
    for (const fetch of [mistake, async () => mistake()]) {
      const { surrogate, calls } = clientWith(async () => fetch())
      const error = await failure<Error>(surrogate.tokens.get('an-id'))
      t.notOk(error instanceof ConnectionError, error.message)
      t.match(error.name, /^(Type|Reference|Syntax|Range)Error$/)
      t.equal(calls(), 1)
    }
  })
}

/** Errors that runtimes and clients throw if they do not reach the server. */
const networkErrors = [
  new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') }),
  new TypeError('terminated', { cause: new Error('other side closed') }),
  new TypeError('Failed to fetch'),
  new TypeError('Load failed'),
  new TypeError('cannot parse response'),
  new TypeError('The Internet connection appears to be offline.'),
  new TypeError('A server with the specified hostname could not be found.'),
  new TypeError('NetworkError when attempting to fetch resource.'),
  new TypeError('error sending request for url (http://vault.test/)'),
  new TypeError('Network connection lost.'),
  Object.assign(new Error('request to http://vault.test/ failed'), {
    name: 'FetchError',
    code: 'ECONNRESET',
  }),
  Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }),
  Object.assign(new Error('self-signed certificate'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
]
for (const cause of networkErrors) {
  t.test(`an error of the network is a ConnectionError and retried: ${cause.message}`, async t => {
    const { surrogate, calls } = clientWith(async () => {
      throw cause
    })
    const error = await failure<ConnectionError>(surrogate.tokens.get('an-id'))
    t.ok(error instanceof ConnectionError)
    t.equal(error.cause, cause)
    t.equal(calls(), 3)
  })
}

t.test('a fetch that knows neither Request nor Headers objects of this realm works', async t => {
  const strict: Fetch = async (url, init) => {
    t.type(url, 'string')
    t.equal(Object.getPrototypeOf(init), Object.prototype)
    t.equal(Object.getPrototypeOf(init.headers), Object.prototype)
    for (const value of Object.values(init.headers)) t.type(value, 'string')
    t.type(init.body, 'string')
    const headers = new Map([['content-type', 'application/json']])
    return {
      status: 201,
      headers: { get: name => headers.get(name) ?? null },
      text: async () => '{"id":"abc"}',
    }
  }
  const { surrogate } = clientWith(strict)
  const headers = new Headers({ 'X-Request-Source': 'checkout' })
  t.same(await surrogate.tokens.create({ type: 'token', data: 1 }, { headers }), { id: 'abc' })
})

t.test('a client needs no global Headers, Request or Response, as in jsdom', async t => {
  for (const name of ['Headers', 'Request'] as const)
    t.intercept(globalThis, name, { value: undefined, configurable: true, writable: true })
  const { surrogate } = clientWith(async () => json({ id: 'abc' }))
  t.same(await surrogate.tokens.get('abc', { headers: [['a', 'b']] }), { id: 'abc' })
})

t.test('default headers and query parameters are sent with every request', async t => {
  const sent: unknown[] = []
  const fetch: Fetch = async (url, { headers }) => {
    sent.push([url, headers['x-a'], headers['x-b']])
    return json({ pagination: {}, data: [] })
  }
  const options = {
    apiKey,
    baseUrl,
    fetch,
    defaultHeaders: { 'X-A': '1', 'X-B': '1' },
    defaultQuery: { tenant: 7 },
  }
  const surrogate = new Surrogate(options)
  await surrogate.tokens.get('an-id', { headers: { 'x-b': '2' } })
  await surrogate.withSession('a-session').tokens.list({ type: ['card'] })
  t.same(sent, [
    ['http://vault.test/tokens/an-id?tenant=7', '1', '2'],
    ['http://vault.test/tokens?tenant=7&type=card', '1', '1'],
  ])
})
