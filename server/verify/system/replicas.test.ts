// Only in CI: it starts several servers.
import t from 'tap'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { openReplicas, type SeenTenant } from '../support/replicas.ts'
import { newMasterKey } from '../support/stores.ts'
import { openVault, type Reply } from '../support/vault.ts'

const card = { type: 'card', data: { number: '4242424242424242' } }

/** Sends concurrent requests, alternately to both servers. */
const alternately = (
  [one, other]: readonly [SeenTenant, SeenTenant],
  count: number,
  send: (by: SeenTenant) => Promise<Reply>,
) => Promise.all(Array.from({ length: count }, (_, index) => send(index % 2 === 0 ? one : other)))

t.test('with one idempotency key two servers do the work once', withPostgres, async t => {
  const { tenant } = await openReplicas(t)
  const both = await tenant()
  const create = (by: SeenTenant) => by.send('POST', '/tokens', card, { 'SVC-IDEMPOTENCY-KEY': 'once' })
  const replies = await alternately(both, 6, create)
  const succeeded = replies.filter(({ status }) => status < 300)
  for (const { status, json } of replies) {
    if (status >= 300) t.match(json, { status: 409, type: 'urn:surrogate:error:idempotency_conflict' })
  }
  t.ok(succeeded.length > 0, 'one has done it')
  for (const by of both) succeeded.push(await create(by))
  t.equal(new Set(succeeded.map(({ json }) => json.id)).size, 1, 'it is answered again by either')
  t.equal((await both[1].send('GET', '/tokens')).json.pagination.total_items, 1)
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
