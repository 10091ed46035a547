import t from 'tap'
import { dropped, empty, failure, fakeClient, json, page, problem } from '../testing/fakes.ts'
import { NotFoundError } from './index.ts'

const traced = { 'SVC-TRACE-ID': 'trace-1' }

t.test('a call can be awaited with its response', async t => {
  const { surrogate } = fakeClient([dropped, () => json({ id: 'an-id' }, 200, traced)])
  const { data, response, traceId, retries } = await surrogate.tokens.get('an-id').withResponse()
  t.same(data, { id: 'an-id' })
  t.equal(response.headers.get('svc-trace-id'), 'trace-1')
  t.equal(response.status, 200)
  t.equal(traceId, 'trace-1')
  t.equal(retries, 1)
  t.equal((await surrogate.tokens.get('an-id').withResponse()).retries, 0)
})

t.test('every kind of call can, and sends one request for both', async t => {
  const { surrogate, sent } = fakeClient(request =>
    request.method === 'DELETE' ? empty() : page([{ id: 'an-id' }], 1),
  )
  t.equal((await surrogate.tokens.delete('an-id').withResponse()).response.status, 204)
  t.equal((await surrogate.tokenize({}).withResponse()).response.status, 200)
  t.equal((await surrogate.sessions.authorize({ nonce: 'a' }).withResponse()).response.status, 200)
  const list = surrogate.tokens.list()
  const { data, retries } = await list.withResponse()
  t.same(data.data, [{ id: 'an-id' }])
  t.equal(data.total, 1)
  t.equal(retries, 0)
  t.equal(await list, data, 'the same page')
  const call = surrogate.tokens.get('an-id')
  t.equal((await call.withResponse()).data, await call)
  t.equal(sent.length, 5)
})

t.test('a failed call fails with its response too, and leaves no unhandled rejection', async t => {
  const { surrogate } = fakeClient(() => problem(404, 'not_found'))
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  t.ok((await failure(surrogate.tokens.get('an-id').withResponse())) instanceof NotFoundError)
  t.ok((await failure(surrogate.tokens.list().withResponse())) instanceof NotFoundError)
  const async = { callback_url: 'https://a.test' }
  t.ok((await failure(surrogate.reactors.react('an-id', async))) instanceof NotFoundError)
  // Unhandled rejections are reported before the next timer.
  await new Promise(resolve => setTimeout(resolve, 1))
  t.same(unhandled, [])
})

t.test('an asynchronous invocation resolves with its trace id, another one with its body', async t => {
  const { surrogate } = fakeClient((_, body) =>
    body.includes('callback')
      ? new Response(null, { status: 202, headers: traced })
      : json({ raw: 7 }, 200, traced),
  )
  const async = { args: {}, callback_url: 'https://a.test' }
  t.same(await surrogate.reactors.react('an-id', async), { traceId: 'trace-1' })
  const found = await surrogate.reactors.react('an-id', async).withResponse()
  t.match(found, { data: { traceId: 'trace-1' }, retries: 0 })
  t.same(await surrogate.reactors.react('an-id', { args: {} }), { raw: 7 })
  t.same(await surrogate.reactors.react('an-id', { args: {}, timeout_ms: null }), { raw: 7 })
})
