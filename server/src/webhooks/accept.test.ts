import t from 'tap'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey } from '../../verify/support/stores.ts'
import { answering, openQueue, tenantB } from './_fixture.ts'

const callbackUrl = 'http://127.0.0.1:1/hook'

t.test('a job and what belongs to it are kept in one commit, or neither is', async t => {
  const queue = await openQueue(t)
  const store = await queue.store()
  const receipt = store.insert('idempotency', { id: 'a-receipt' })
  await queue.accept({ callbackUrl }, () => [receipt])
  t.ok(await store.get('idempotency', 'a-receipt'))
  await t.rejects(
    queue.accept({ callbackUrl }, () => [receipt]),
    { code: 'idempotency_conflict' },
  )
  t.same(await queue.left(), [1, 1])
})

t.test('a tenant has so many unfinished jobs and no more, due or not', async t => {
  const queue = await openQueue(t, {
    parts: { limits: { jobs: { tenant: 3, application: 3, session: 3 } } },
  })
  for (const _ of [1, 2, 3]) await queue.accept({ callbackUrl })
  await queue.clock.advance(1000)
  await t.rejects(queue.accept({ callbackUrl }), { code: 'rate_limited', headers: { 'Retry-After': '30' } })
  await queue.accept({ callbackUrl, tenant: tenantB })
  t.same(await queue.left(), [4, 4], 'another tenant is counted apart')
})

t.test('an application and a session have their shares of the jobs of a tenant', async t => {
  const limits = { jobs: { tenant: 5, application: 3, session: 1 } }
  const queue = await openQueue(t, { parts: { limits } })
  const refused = (message: RegExp) => ({ code: 'rate_limited', message })
  const [sessionA, sessionB] = ['a', 'b'].map(name => `0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c0${name}`)
  const backend = '0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c0c'
  await queue.accept({ callbackUrl, session: sessionA ?? '' })
  await t.rejects(queue.accept({ callbackUrl, session: sessionA ?? '' }), refused(/^1 .* of this session/))
  await queue.accept({ callbackUrl, session: sessionB ?? '' })
  await queue.accept({ callbackUrl })
  await t.rejects(queue.accept({ callbackUrl }), refused(/^3 .* of this application/))
  await queue.accept({ callbackUrl, application: backend })
  await queue.accept({ callbackUrl, application: backend })
  await t.rejects(queue.accept({ callbackUrl, application: backend }), refused(/^5 .* of this tenant/))
  t.same(await queue.left(), [5, 5])
})

t.test('nothing of a job can be read in the store', async t => {
  const store = await openTestStore(t)
  const queue = await openQueue(t, { store })
  await queue.accept({
    callbackUrl: 'http://127.0.0.1:1/path-canary',
    args: { a: 'args-canary' },
    traceId: 'trace-canary',
  })
  const dump = async () => {
    const kinds = ['job', 'job-content', 'setting'] as const
    const tenant = (await queue.store()).tenant
    const page = { nowMs: 0, offset: 0, limit: 100 }
    const found = await Promise.all(kinds.map(kind => store.find(kind, tenant, { op: 'all' }, page)))
    const documents = found.flatMap(({ documents }) => documents)
    t.ok(documents.length >= 3)
    return documents.map(one => `${JSON.stringify(one)} ${Buffer.from(one.box).toString('latin1')}`).join()
  }
  t.notMatch(await dump(), /canary/)
  queue.webhooks.start(answering({ raw: 'answer-canary' }))
  await queue.clock.advance(1000)
  const later = await dump()
  t.same(await queue.left(), [1, 1], 'it waits for its next attempt')
  t.notMatch(later, /canary/)
  t.notMatch(later, new RegExp((await queue.secret()).slice(6).replaceAll('+', '\\+')), 'nor the secret')
})

t.test('what another process has accepted is taken up, also after a restart', async t => {
  const store = await openTestStore(t)
  const masterKey = newMasterKey()
  const first = await openQueue(t, { store, masterKey })
  await first.accept({ callbackUrl })
  await first.webhooks.close()
  const performed: unknown[] = []
  const second = await openQueue(t, {
    store,
    masterKey,
    perform: async job => {
      performed.push(job)
      return null
    },
  })
  await second.clock.advance(0)
  t.match(performed, [{ callbackUrl, args: { card: '{{ a-token }}' }, timeoutMs: 10_000, depth: 0 }])
})
