import { inspect } from 'node:util'
import t from 'tap'
import { apiKey, dropped, failure, fakeClient, json, problem } from '../testing/fakes.ts'
import { type Fetch, type RequestOptions, Surrogate, type SurrogateOptions, Tokens } from './index.ts'

const number = '4242424242424242'

t.test('without options a client says what they are', async t => {
  for (const Class of [Surrogate, Tokens] as readonly (new (
    options: never,
  ) => unknown)[])
    for (const nothing of [undefined, null])
      t.throws(() => new Class(nothing as never), {
        name: 'TypeError',
        message: 'options must be { apiKey, baseUrl }',
      })
})

t.test('each client has its own key, and a call can use another', async t => {
  const { surrogate, sent } = fakeClient(() => json({}))
  const session = surrogate.withSession('session-key')
  await surrogate.tokens.get('an-id')
  await session.tokens.get('an-id')
  await surrogate.tokens.get('an-id', { apiKey: 'key-of-one-call' })
  await surrogate.tokens.get('an-id')
  const found = sent.map(({ headers }) => headers.get('svc-api-key'))
  t.same(found, [apiKey, 'session-key', 'key-of-one-call', apiKey])
})

t.test('a call can set headers, a trace id and an idempotency key', async t => {
  const { surrogate, sent } = fakeClient(() => json({}))
  await surrogate.tokens.update(
    'an-id',
    { metadata: null },
    {
      headers: { 'X-Extra': '1', 'Content-Type': 'text/plain', 'SVC-API-KEY': 'not-this' },
      traceId: 'trace-7',
      idempotencyKey: 'order-7',
    },
  )
  t.match(Object.fromEntries(sent[0]?.headers ?? []), {
    'x-extra': '1',
    'content-type': 'application/merge-patch+json',
    'svc-api-key': apiKey,
    'svc-trace-id': 'trace-7',
    'svc-idempotency-key': 'order-7',
  })
})

t.test('the header prefix applies to all three headers', async t => {
  const { surrogate, sent } = fakeClient(
    () => problem(404, 'not_found', {}, { 'ACME-TRACE-ID': 'trace-8' }),
    { headerPrefix: 'ACME' },
  )
  const body = { type: 'token', data: 1 } as const
  t.match(await failure(surrogate.tokens.create(body, { traceId: 'trace-8' })), { traceId: 'trace-8' })
  t.match(await failure(surrogate.withSession('session-key').tokens.create(body)), { traceId: 'trace-8' })
  const names = sent.map(({ headers }) => [...headers.keys()].filter(name => /svc|acme/.test(name)))
  t.same(names, [
    ['acme-api-key', 'acme-idempotency-key', 'acme-trace-id'],
    ['acme-api-key', 'acme-idempotency-key'],
  ])
})

t.test('the base URL may have a path', async t => {
  const { surrogate, sent } = fakeClient(() => json({}), { baseUrl: 'http://vault.test/v1/' })
  await surrogate.tokens.get('an-id')
  t.equal(sent[0]?.path, '/v1/tokens/an-id')
})

t.test('queries are sent as the contract describes them', async t => {
  const { surrogate, sent } = fakeClient(() => json({ pagination: {}, data: [] }))
  await surrogate.tokens.list({ id: ['a', 'b'], type: ['card'], metadata: { k1: 'v 1', k2: 'v2' }, page: 2 })
  t.equal(sent[0]?.query, '?id=a&id=b&type=card&metadata.k1=v+1&metadata.k2=v2&page=2')
})

t.test('without a custom fetch the client uses the current global one', async t => {
  const surrogate = new Surrogate({ apiKey, baseUrl: 'http://vault.test' })
  const original = globalThis.fetch
  t.teardown(() => {
    globalThis.fetch = original
  })
  globalThis.fetch = async input => json({ url: input })
  t.match(await surrogate.tokens.get('an-id'), { url: 'http://vault.test/tokens/an-id' })
})

t.test('a custom fetch is called as a plain function, with plain values and a signal', async t => {
  let called: unknown[] = []
  const fetch: Fetch = function (this: unknown, ...given) {
    called = [this, ...given]
    return Promise.resolve(json({}))
  }
  const surrogate = new Surrogate({ apiKey, baseUrl: 'http://vault.test', fetch })
  await surrogate.tokens.update('an-id', { metadata: null }, { idempotencyKey: 'order-7' })
  const headers = {
    'user-agent': /^surrogate-sdk/,
    'svc-api-key': apiKey,
    'content-type': 'application/merge-patch+json',
    'svc-idempotency-key': 'order-7',
  }
  const init = {
    method: 'PATCH',
    headers,
    body: '{"metadata":null}',
    redirect: 'manual',
    signal: AbortSignal,
  }
  t.match(called, [undefined, 'http://vault.test/tokens/an-id', init])
  await surrogate.tokens.get('an-id')
  t.notOk(Object.hasOwn(called[2] as object, 'body'), 'a GET has no body, not even an empty one')
})

const good = { apiKey, baseUrl: 'http://vault.test' }
const bad: [string, Partial<Record<keyof SurrogateOptions, unknown>>][] = [
  ['no key', { apiKey: undefined }],
  ['an empty key', { apiKey: '' }],
  ['a key with a line end', { apiKey: `${apiKey}\n` }],
  ['no base URL', { baseUrl: undefined }],
  ['a base URL with credentials', { baseUrl: `http://user:${apiKey}@vault.test` }],
  ['an invalid header prefix', { headerPrefix: 'A B' }],
  ['a negative timeout', { timeout: -1 }],
  ['a timeout that is not a number', { timeout: 'soon' }],
  ['half a retry', { maxRetries: 0.5 }],
]
for (const [what, options] of bad) {
  t.test(`${what} is refused, and its value is not in the message`, async t => {
    t.doesNotThrow(() => new Surrogate(good))
    try {
      new Surrogate({ ...good, ...options } as SurrogateOptions)
      t.fail('should have thrown')
    } catch (error) {
      t.ok(error instanceof TypeError)
      t.notMatch(inspect(error), apiKey)
    }
  })
}

t.test('an unknown option is refused with the nearest name', async t => {
  const all: Required<SurrogateOptions> = {
    ...good,
    headerPrefix: 'SVC',
    timeout: 1,
    maxRetries: 0,
    fetch: async () => json({}),
    isMistake: () => false,
    defaultHeaders: {},
    defaultQuery: {},
    dangerouslyAllowBrowser: false,
    onRequest: () => {},
    onResponse: () => {},
    onRetry: () => {},
    onLost: () => {},
    logger: console,
    logLevel: 'off',
  }
  const surrogate = new Surrogate(all)
  const ofCall: Required<RequestOptions> = {
    signal: new AbortController().signal,
    headers: {},
    idempotencyKey: 'a',
    apiKey,
    traceId: 'a',
    timeout: 1_000,
    maxRetries: 0,
  }
  t.same(await surrogate.tokens.get('an-id', ofCall), {}, 'control: every option at once')
  const nearest = {
    timeot: 'timeout',
    apikey: 'apiKey',
    baseURL: 'baseUrl',
    maxRetry: 'maxRetries',
    retries: 'maxRetries',
    onRespnse: 'onResponse',
    loglevel: 'logLevel',
  }
  for (const [name, near] of Object.entries(nearest)) {
    const refused = { name: 'TypeError', message: `unknown option ${name}; did you mean ${near}?` }
    for (const Class of [Surrogate, Tokens] as const)
      t.throws(() => new Class({ ...good, [name]: 'a value' } as never), refused)
  }
  t.doesNotThrow(() => new Surrogate({ ...good, id: 'a', region: 'eu' } as never), 'what comes with options')
  for (const [options, message] of [
    [{ timeot: 5 }, 'unknown option timeot; did you mean timeout?'],
    [{ signl: undefined }, 'unknown option signl; did you mean signal?'],
    [{ baseUrl: 'http://other.test' }, /^unknown option baseUrl; there are signal, headers, /],
  ] as const) {
    const { surrogate, sent } = fakeClient(() => json({ pagination: {}, data: [] }))
    for (const call of [
      () => surrogate.tokens.get('an-id', options as never),
      () => surrogate.tokens.list({}, options as never),
      () => surrogate.sessions.create(options as never),
    ])
      t.match(await failure(Promise.resolve(call())), { name: 'TypeError', message })
    t.equal(sent.length, 0, 'nothing is sent')
  }
})

t.test('a number that JSON does not have is refused by its path', async t => {
  const { surrogate, sent } = fakeClient(() => json({}))
  const number = '4242424242424242'
  const create = (data: object) => surrogate.tokens.create({ type: 'card', data } as never)
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    t.match(await failure(create({ number, expiration_month: value })), {
      name: 'TypeError',
      message: 'data.expiration_month must be a finite number',
    })
  t.match(await failure(surrogate.tokenize({ a: [1, { b: [Number.NaN] }] })), {
    message: 'a.1.b.0 must be a finite number',
  })
  const found = await failure(surrogate.tokenize(Number.NaN))
  t.match(found, { name: 'TypeError', message: /must be a finite number/ })
  t.equal(sent.length, 0, 'nothing is sent')
  const shared = { month: 1, at: new Date(0) }
  const kept = { number, expiration_month: null, note: 'null', again: [shared, shared, undefined] }
  await create(kept)
  t.same(JSON.parse(sent[0]?.body ?? ''), JSON.parse(JSON.stringify({ type: 'card', data: kept })), 'control')
})

t.test('an option that the environment does not set is named', async t => {
  const messageOf = (options: Partial<SurrogateOptions>) => {
    try {
      new Surrogate({ ...good, ...options })
      return 'accepted'
    } catch (error) {
      return (error as Error).message
    }
  }
  t.match(messageOf({ apiKey: undefined }), /^apiKey is missing or empty.*environment/)
  t.match(messageOf({ apiKey: '' }), /^apiKey is missing or empty.*environment/)
  t.match(messageOf({ baseUrl: undefined }), /^baseUrl is missing or empty.*environment/)
  t.match(messageOf({ baseUrl: '' }), /^baseUrl is missing or empty.*environment/)
  t.equal(messageOf({}), 'accepted')
})

t.test('a resource can be used without the rest of the client', async t => {
  const fetch = async () => json({ id: 'an-id' })
  t.match(await new Tokens({ ...good, fetch }).get('an-id'), { id: 'an-id' })
  t.throws(() => new Tokens({ ...good, apiKey: '' }), TypeError)
  t.notMatch(inspect(new Tokens(good), { showHidden: true, depth: 9 }), apiKey)
})

t.test('printed clients and errors contain neither keys nor bodies', async t => {
  const shown = (value: unknown) =>
    [
      inspect(value, { depth: 9, showHidden: true }),
      JSON.stringify(value),
      String(value),
      (value as Error).stack,
    ]
      .join('\n')
      .replaceAll('urn:', '')
  for (const answer of [
    dropped,
    () => problem(400, 'validation'),
    () => new Response('<html>', { status: 502 }),
  ]) {
    const { surrogate } = fakeClient(answer, { maxRetries: 1 })
    const error = await surrogate.tokens.create({ type: 'card', data: { number } }).then(
      () => t.fail('should have failed'),
      error => error,
    )
    for (const value of [
      surrogate,
      surrogate.tokens,
      surrogate.withSession(apiKey),
      surrogate.tokens.list(),
      error,
    ]) {
      t.notMatch(shown(value), apiKey)
      t.notMatch(shown(value), number)
    }
  }
  const { surrogate } = fakeClient(() => json({}))
  const secret = 'secret\nvalue'
  for (const options of [
    { headers: { a: secret } },
    { traceId: secret },
    { idempotencyKey: secret },
    { apiKey: secret },
  ]) {
    const error = await surrogate.tokens.create({ type: 'token', data: 1 }, options).catch(error => error)
    t.ok(error instanceof TypeError)
    t.notMatch(shown(error), /secret/)
  }
})
