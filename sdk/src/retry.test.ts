import t from 'tap'
import { dropped, empty, failure, fakeClient, json, problem, type Responder } from '../testing/fakes.ts'
import { APIError, ConnectionError, NotFoundError } from './index.ts'
import { realWaits } from './retry.ts'

const ok: Responder = () => json({ id: 'an-id' })
const failing = (status: number, headers?: Record<string, string>): Responder => {
  return () => problem(status, 'x', {}, headers)
}

for (const status of [408, 429, 500, 502, 503, 504]) {
  t.test(`${status} is retried`, async t => {
    const { surrogate, sent } = fakeClient([failing(status), ok])
    t.same(await surrogate.tokens.get('an-id'), { id: 'an-id' })
    t.equal(sent.length, 2)
  })
}

for (const status of [400, 401, 403, 404, 409, 413, 415, 422, 501]) {
  t.test(`${status} is not retried`, async t => {
    const { surrogate, sent } = fakeClient([failing(status), ok])
    t.ok((await failure(surrogate.tokens.get('an-id'))) instanceof APIError)
    t.equal(sent.length, 1)
  })
}

t.test('a formula that failed is not run again', async t => {
  const { surrogate, sent } = fakeClient([() => problem(500, 'reactor_runtime'), ok])
  t.match(await failure(surrogate.reactors.react('an-id', {})), { status: 500 })
  t.equal(sent.length, 1)
})

t.test('retries end after maxRetries, and the last error is thrown', async t => {
  for (const [maxRetries, attempts] of [
    [undefined, 3],
    [0, 1],
    [5, 6],
  ] as const) {
    const { surrogate, sent } = fakeClient(dropped, { maxRetries })
    t.ok((await failure(surrogate.tokens.get('an-id'))) instanceof ConnectionError)
    t.equal(sent.length, attempts)
  }
  const { surrogate, sent } = fakeClient(dropped)
  t.ok((await failure(surrogate.tokens.get('an-id', { maxRetries: 1 }))) instanceof ConnectionError)
  t.equal(sent.length, 2, 'a call may have its own')
})

t.test('waits grow up to eight seconds, with full jitter', async t => {
  const { surrogate, slept } = fakeClient(dropped, { maxRetries: 6 })
  await t.rejects(surrogate.tokens.get('an-id'))
  t.same(slept, [500, 1000, 2000, 4000, 8000, 8000])
})

t.test('Retry-After is respected', async t => {
  for (const [value, ms] of [
    ['3', 3000],
    ['Tue, 01 Jan 2030 00:00:07 GMT', 7000],
    ['60', 60_000],
    ['0', 500],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 500],
    ['soon', 500],
    ['', 500],
  ] as const) {
    const { surrogate, slept } = fakeClient([failing(503, { 'Retry-After': value }), ok])
    await surrogate.tokens.get('an-id')
    t.same(slept, [ms], value)
  }
})

t.test('a Retry-After of more than a minute prevents a retry', async t => {
  for (const value of ['61', 'Tue, 01 Jan 2030 01:00:00 GMT']) {
    const { surrogate, sent } = fakeClient([failing(429, { 'Retry-After': value }), ok])
    t.match(await failure(surrogate.tokens.get('an-id')), { status: 429 })
    t.equal(sent.length, 1)
  }
})

t.test('all attempts of a call have the same idempotency key, and each call another one', async t => {
  const { surrogate, sent } = fakeClient([dropped, failing(500), ok])
  await surrogate.tokens.create({ type: 'token', data: 1 })
  await surrogate.tokens.create({ type: 'token', data: 1 })
  const keys = sent.map(({ headers }) => headers.get('svc-idempotency-key'))
  t.equal(keys.length, 4)
  t.match(keys[0], /^[0-9a-f-]{36}$/)
  for (const key of keys.slice(1, 3)) t.equal(key, keys[0])
  t.not(keys[3], keys[0])
})

t.test('after a lost response, a retry waits while the earlier attempt is still running', async t => {
  const busy: Responder = () => problem(409, 'idempotency_conflict')
  const { surrogate, sent } = fakeClient([dropped, busy, ok])
  t.same(await surrogate.tokens.create({ type: 'token', data: 1 }), { id: 'an-id' })
  t.equal(sent.length, 3)

  const other = fakeClient([busy, ok])
  t.match(await failure(other.surrogate.tokens.create({ type: 'token', data: 1 })), { status: 409 })
  t.equal(other.sent.length, 1, 'but not if it is the request of someone else')
})

t.test('a delete that is retried after a lost response and gets a 404 has succeeded', async t => {
  for (const lost of [dropped, failing(502)]) {
    const { surrogate } = fakeClient([lost, failing(404)])
    await surrogate.tokens.delete('an-id')
  }
  for (const [first, second] of [
    [failing(404), () => empty()],
    [failing(429), failing(404)],
  ] as const) {
    const { surrogate } = fakeClient([first, second])
    t.ok((await failure(surrogate.tokens.delete('an-id'))) instanceof NotFoundError, 'nothing was lost here')
  }
  const { surrogate } = fakeClient([dropped, failing(404)])
  t.ok((await failure(surrogate.tokens.get('an-id'))) instanceof NotFoundError, 'nor does it hold for a get')
})

t.test('a real wait ends early when the signal aborts, and removes its listener', async t => {
  const controller = new AbortController()
  const waiting = realWaits.sleep(3_600_000, controller.signal)
  controller.abort()
  await waiting
  await realWaits.sleep(0)
  t.ok(realWaits.random() < 1)
  t.ok(realWaits.now() > Date.parse('2020-01-01'))
})
