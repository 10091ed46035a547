// Only in CI: it starts several servers.
import t from 'tap'
import { MemoryStore } from '../../src/storage/engines/memory/memory-store.ts'
import { openStore } from '../../src/storage/open.ts'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { makeFormula, makeReactor } from '../support/reactors.ts'
import { openReceiver } from '../support/receiver.ts'
import { openReplicas, type SeenTenant } from '../support/replicas.ts'
import { newMasterKey, replacing } from '../support/stores.ts'
import { openVault, type Reply, type Send } from '../support/vault.ts'

const minute = 60_000
const card = { type: 'card', data: { number: '4242424242424242' } }
const keyed = { 'SVC-IDEMPOTENCY-KEY': 'once' }

/** Sends concurrent requests, alternately to both servers. */
const alternately = (
  [one, other]: readonly [SeenTenant, SeenTenant],
  count: number,
  send: (by: SeenTenant) => Promise<Reply>,
) => Promise.all(Array.from({ length: count }, (_, index) => send(index % 2 === 0 ? one : other)))

/** Counts the audit entries of an event, by entity. */
async function told(tenant: SeenTenant, type: string, operation: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let page = 1; ; page++) {
    const { json } = await tenant.asManagement('GET', `/logs?entity_type=${type}&size=100&page=${page}`)
    for (const entry of json.data) {
      if (entry.operation === operation) counts.set(entry.entity_id, (counts.get(entry.entity_id) ?? 0) + 1)
    }
    if (page >= json.pagination.total_pages) return counts
  }
}

const repeated = (counts: Map<string, number>) => [...counts].filter(([, times]) => times > 1)

for (const leases of [true, false]) {
  const how = leases ? 'as the lease has it' : 'even where the lease fails both'
  t.test(`expired tokens are erased once, by one of two servers, ${how}`, withPostgres, async t => {
    const parts = {
      openStore: async (...given: Parameters<typeof openStore>) => {
        const store = await openStore(...given)
        return leases ? store : replacing(store, { lease: async () => true })
      },
    }
    const { vaults, tenant, advance } = await openReplicas(t, {}, parts)
    const [one, other] = await tenant()
    const expires_at = new Date((await vaults[0].clock.now()) + minute).toISOString()
    await alternately([one, other], 150, by => by.send('POST', '/tokens', { ...card, expires_at }))
    await alternately([one, other], 20, by => by.asPublic('POST', '/sessions'))
    await advance(4 * minute)
    // A sweep that finds another one running leaves the rest to it; the next one is a minute later.
    await advance(minute)
    const expired = await told(one, 'token', 'token:expire')
    t.equal(expired.size, 150)
    t.same(repeated(expired), [])
    const ended = await told(one, 'session', 'session:expire')
    t.equal(ended.size, 20)
    t.same(repeated(ended), [])
  })
}

t.test(
  'asynchronous invocations are done once by one of two servers, and delivered once',
  withPostgres,
  async t => {
    const receiver = await openReceiver(t)
    const { tenant } = await openReplicas(t, { allowPrivateCallbacks: true })
    const [one, other] = await tenant()
    const code = `module.exports = async ({ args }) => ({ raw: args, tokenize: { type: 'token', data: args.n } })`
    const reactor = await makeReactor(one, (await makeFormula(one, code)).id)
    const path = `/reactors/${reactor.id}/react`
    let n = 0
    const replies = await alternately([one, other], 40, by =>
      by.send('POST', path, { args: { n: n++ }, callback_url: `${receiver.origin}/done` }),
    )
    t.same(new Set(replies.map(({ status }) => status)), new Set([202]))
    await receiver.arrived(40)
    const done = receiver.received.map(({ headers, body }) => [
      headers['webhook-id'],
      JSON.parse(body.toString()).raw.n,
    ])
    t.equal(new Set(done.map(([id]) => id)).size, 40)
    t.equal(new Set(done.map(([, given]) => given)).size, 40)
    t.equal((await one.send('GET', '/tokens')).json.pagination.total_items, 40)
  },
)

t.test('100 deduplicated creates on two servers make one token', withPostgres, async t => {
  const { tenant } = await openReplicas(t)
  const both = await tenant()
  const body = { ...card, deduplicate_token: true }
  const replies = await alternately(both, 100, by => by.send('POST', '/tokens', body))
  t.equal(replies.filter(({ status }) => status === 201).length, 1)
  t.equal(replies.filter(({ status }) => status === 200).length, 99)
  t.equal(new Set(replies.map(({ json }) => json.id)).size, 1)
  t.equal((await both[1].send('GET', '/tokens')).json.pagination.total_items, 1)
})

interface Keyed {
  readonly operation: string
  /** Sends the request. Returns the response, and how often the work was done according to the log. */
  prepare(tenant: SeenTenant): Promise<{
    request(send: SeenTenant): Promise<Reply>
    done(): Promise<number>
  }>
}
const application = (name: string) => ({ name, type: 'private', permissions: ['token:read'] })
const made = async (reply: Promise<Reply>): Promise<string> => (await reply).json.id

const operations: readonly Keyed[] = [
  {
    operation: 'token:create',
    prepare: async tenant => ({
      request: by => by.send('POST', '/tokens', card, keyed),
      done: async () => sum(await told(tenant, 'token', 'token:create')),
    }),
  },
  {
    operation: 'session:authorize',
    prepare: async tenant => {
      const { nonce } = (await tenant.asPublic('POST', '/sessions')).json
      return {
        request: by =>
          by.send('POST', '/sessions/authorize', { nonce, permissions: ['token:create'] }, keyed),
        done: async () => sum(await told(tenant, 'session', 'session:authorize')),
      }
    },
  },
  {
    operation: 'application:regenerate',
    prepare: async tenant => {
      const id = await made(tenant.asManagement('POST', '/applications', application('A')))
      return {
        request: by => by.asManagement('POST', `/applications/${id}/regenerate`, undefined, keyed),
        done: async () => sum(await told(tenant, 'application', 'application:regenerate')),
      }
    },
  },
]

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, one) => total + one, 0)

t.test('with one idempotency key two servers do the work once', withPostgres, async t => {
  const { tenant } = await openReplicas(t)
  for (const { operation, prepare } of operations) {
    t.test(operation, async t => {
      const both = await tenant()
      const { request, done } = await prepare(both[0])
      const replies = await alternately(both, 6, request)
      const succeeded = replies.filter(({ status }) => status < 300)
      for (const { status, json } of replies) {
        if (status >= 300) t.match(json, { status: 409, type: 'urn:surrogate:error:idempotency_conflict' })
      }
      t.ok(succeeded.length > 0, 'one has done it')
      t.equal(await done(), 1, 'and no more than one')
      const [again, there] = [await request(both[0]), await request(both[1])]
      t.same(again.json, there.json, 'it is answered again by either')
      for (const { json } of succeeded) t.same(json, again.json)
      t.equal(await done(), 1)
    })
  }
})

t.test('changes to applications on one server take effect on the other at once', withPostgres, async t => {
  const { tenant } = await openReplicas(t)
  const [one, other] = await tenant()
  const { id } = (await one.send('POST', '/tokens', { ...card, containers: ['/a/'] })).json
  const rule = (container: string) => ({
    name: 'Reader',
    rules: [{ priority: 1, container, transform: 'reveal', permissions: ['token:read'] }],
  })
  const { json } = await one.asManagement('POST', '/applications', { type: 'private', ...rule('/a/') })
  const read = (key: string) => other.as(key)('GET', `/tokens/${id}`)
  t.equal((await read(json.key)).status, 200)
  await one.asManagement('PUT', `/applications/${json.id}`, rule('/b/'))
  t.equal((await read(json.key)).status, 403, 'rules')
  await one.asManagement('PUT', `/applications/${json.id}`, rule('/a/'))
  t.equal((await read(json.key)).status, 200)

  const keys = `/applications/${json.id}/keys`
  const [first] = (await one.asManagement('GET', keys)).json
  const second = (await one.asManagement('POST', keys)).json
  t.equal((await read(second.key)).status, 200, 'a second key')
  await one.asManagement('DELETE', `${keys}/${first.id}`)
  t.equal((await read(json.key)).status, 401, 'the one that was revoked')
  t.equal((await read(second.key)).status, 200, 'the second key afterwards')

  const { key } = (await one.asManagement('POST', `/applications/${json.id}/regenerate`)).json
  t.equal((await read(second.key)).status, 401, 'the old key')
  t.equal((await read(key)).status, 200, 'the new key')

  const session = (await one.asPublic('POST', '/sessions')).json
  t.equal(
    (await other.send('POST', '/sessions/authorize', { nonce: session.nonce, permissions: ['token:create'] }))
      .status,
    200,
  )
  const create: Send = other.as(session.session_key)
  t.equal((await create('POST', '/tokens', card)).status, 201)
  const [publicId] = (await one.asManagement('GET', '/applications')).json.data
    .filter(({ type }: { type: string }) => type === 'public')
    .map(({ id }: { id: string }) => id)
  await one.asManagement('DELETE', `/applications/${publicId}`)
  t.equal((await create('POST', '/tokens', card)).status, 401, 'a session of what was deleted')
  await one.asManagement('DELETE', `/applications/${json.id}`)
  t.equal((await read(key)).status, 401, 'what was deleted')
})

t.test(
  'a token of containers that the one has never seen together is found by the other',
  withPostgres,
  async t => {
    const { tenant } = await openReplicas(t)
    const both = await tenant()
    const rules = [
      { priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read', 'token:search'] },
    ]
    const reader = await both[0].application({ rules })
    for (const [at, containers] of [
      ['/a/b/', '/a/c/'],
      ['/a/d/', '/a/e/'],
      ['/a/', '/z/'],
    ].entries()) {
      await (at === 1 ? both[1] : both[0]).send('POST', '/tokens', { ...card, containers })
      for (const by of both) {
        const { json } = await by.as(reader.key)('GET', '/tokens')
        t.equal(json.pagination.total_items, Math.min(at + 1, 2), containers.join(' '))
      }
    }
  },
)

const bootstrap = {
  tenants: [
    {
      id: '7d0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c11',
      name: 'Shop',
      applications: Array.from({ length: 5 }, (_, n) => ({
        id: `1f8d7a52-3a0b-4d0e-8c77-2a4f6f0b9e2${n}`,
        name: `A${n}`,
        type: 'private',
        key: `key-of-sixteen-and-more-${n}`,
        permissions: ['token:create'],
      })),
    },
  ],
}

t.test('five servers set up a new database at the same moment', withPostgres, async t => {
  const shared = { storage: await openSchema(t), masterKey: newMasterKey(), bootstrap }
  const vaults = Array.from({ length: 5 }, () => openVault(t, shared))
  const facts = await Promise.all(vaults.map(vault => vault.ready()))
  const keys = facts.map(({ development }) => development?.privateKey)
  t.equal(new Set(keys).size, 1, 'one development tenant is kept')
  for (const vault of vaults) {
    for (const key of [keys[0], ...Array.from({ length: 5 }, (_, n) => `key-of-sixteen-and-more-${n}`)]) {
      const response = await vault.fetch('http://vault/tokens', {
        method: 'POST',
        headers: { 'SVC-API-KEY': key ?? '', 'Content-Type': 'application/json' },
        body: JSON.stringify(card),
      })
      t.equal(response.status, 201)
    }
  }
})

t.test('a server with another master key is refused', withPostgres, async t => {
  const storage = await openSchema(t)
  const first = openVault(t, { storage, masterKey: newMasterKey() })
  await first.ready()
  await t.rejects(openVault(t, { storage, masterKey: newMasterKey() }).ready(), { name: 'WrongMasterKey' })
})

t.test('time advanced on one server is not set back by another that was advanced less', async t => {
  const store = new MemoryStore()
  const masterKey = newMasterKey()
  const open = () => openVault(t, { masterKey, now: () => 0 }, { openStore: async () => store })
  const [one, other] = [open(), open()]
  await one.clock.advance(60 * minute)
  await other.clock.advance(minute)
  t.equal(await open().clock.now(), 60 * minute)
})
