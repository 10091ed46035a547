import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { apiKey, failure, fakeClient, json } from '../testing/fakes.ts'
import { ConnectionError, Surrogate, TimeoutError } from './index.ts'

const never = () => new Promise<never>(() => {})

async function startServer(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const noWaits = { sleep: async () => {}, random: () => 0, now: () => 0 }

t.test('an incomplete response is a ConnectionError', async t => {
  const baseUrl = await startServer(t, (_request, response) => {
    response.writeHead(200, { 'Content-Length': '1000' })
    response.write('{"id":', () => response.destroy())
  })
  const surrogate = new Surrogate({ apiKey, baseUrl, maxRetries: 0 })
  t.ok((await failure(surrogate.tokens.get('an-id'))) instanceof ConnectionError)
})

t.test('a redirect is not followed', async t => {
  const seen: (string | undefined)[] = []
  const baseUrl = await startServer(t, (request, response) => {
    seen.push(request.url)
    response.writeHead(302, { Location: '/elsewhere' }).end()
  })
  t.match(await failure(new Surrogate({ apiKey, baseUrl }).tokens.get('an-id')), {
    status: 302,
    message: '302: redirects are not followed; use the address that it leads to',
  })
  t.same(seen, ['/tokens/an-id'])
})

t.test('an attempt that takes too long is aborted and retried', async t => {
  const aborted: AbortSignal[] = []
  const { surrogate } = fakeClient(
    [
      request => {
        aborted.push(request.signal)
        return never()
      },
      () => json({ id: 'an-id' }),
    ],
    { timeout: 10 },
  )
  t.same(await surrogate.tokens.get('an-id'), { id: 'an-id' })
  t.equal(aborted[0]?.aborted, true, 'the signal of fetch is aborted')
})

t.test('a TimeoutError names the timeout', async t => {
  const { surrogate, sent } = fakeClient(never)
  await t.rejects(surrogate.tokens.get('an-id', { timeout: 5, maxRetries: 1 }), {
    name: 'TimeoutError',
    message: 'no complete response within 5 ms',
  })
  t.equal(sent.length, 2)
  t.ok(
    (await failure(surrogate.tokens.get('an-id', { timeout: 5, maxRetries: 0 }))) instanceof ConnectionError,
  )
  t.ok((await failure(surrogate.tokens.get('an-id', { timeout: 5, maxRetries: 0 }))) instanceof TimeoutError)
})

t.test('the timeout covers the body of the response', async t => {
  const baseUrl = await startServer(t, (_request, response) => {
    response.writeHead(200).write('{')
  })
  await t.rejects(
    new Surrogate({ apiKey, baseUrl, timeout: 50, maxRetries: 0 }).tokens.get('an-id'),
    TimeoutError,
  )
})

t.test('a timeout may be longer than the longest timer', async t => {
  for (const timeout of [Number.POSITIVE_INFINITY, 2 ** 40]) {
    const later = async () => {
      // A timer with too large a delay would fire after one millisecond.
      await new Promise(resolve => setTimeout(resolve, 10))
      return json({ id: 'an-id' })
    }
    const { surrogate } = fakeClient(later, { timeout, maxRetries: 0 })
    t.same(await surrogate.tokens.get('an-id'), { id: 'an-id' })
  }
})

t.test('an aborted call throws the reason of its signal and is not retried', async t => {
  const before = fakeClient(() => json({}))
  const reason = new Error('the user went away')
  await t.rejects(before.surrogate.tokens.get('an-id', { signal: AbortSignal.abort(reason) }), reason)
  t.equal(before.sent.length, 0, 'nothing is sent if it was aborted before')

  const controller = new AbortController()
  const during = fakeClient(() => {
    controller.abort(reason)
    return never()
  })
  await t.rejects(during.surrogate.tokens.get('an-id', { signal: controller.signal }), reason)
  t.equal(during.sent.length, 1)

  const plain = new AbortController()
  const call = fakeClient(never).surrogate.tokens.get('an-id', { signal: plain.signal })
  plain.abort()
  t.match(await failure(call), { name: 'AbortError' })
})

t.test('a signal without a reason, as in React Native, ends a call by an AbortError', async t => {
  const isGone = { name: 'AbortError', message: 'the call was aborted' }
  const silent = (controller: AbortController) => Object.defineProperty(controller.signal, 'reason', {})
  const before = new AbortController()
  before.abort()
  await t.rejects(
    fakeClient(() => json({})).surrogate.tokens.get('an-id', { signal: silent(before) }),
    isGone,
  )
  const during = new AbortController()
  const call = fakeClient(never).surrogate.tokens.get('an-id', { signal: silent(during) })
  during.abort()
  await t.rejects(call, isGone)
})

t.test('an abort ends a call that waits for its next attempt', async t => {
  const controller = new AbortController()
  const surrogate = new Surrogate(
    { apiKey, baseUrl: 'http://vault.test', fetch: async () => new Response(null, { status: 503 }) },
    { ...noWaits, sleep: async () => controller.abort('enough') },
  )
  await surrogate.tokens.get('an-id', { signal: controller.signal }).then(
    () => t.fail('should have failed'),
    reason => t.equal(reason, 'enough'),
  )
})
