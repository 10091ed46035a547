// Only in CI: it starts several servers.
import t from 'tap'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { openReplicas } from '../support/replicas.ts'
import { newMasterKey } from '../support/stores.ts'
import { openTenant, openVault, type Send, sender } from '../support/vault.ts'

const card = { type: 'card', data: { number: '4242424242424242' } }

t.test('with one idempotency key two servers do the work once', withPostgres, async t => {
  const { vaults } = await openReplicas(t)
  const { privateKey } = await openTenant(vaults[0])
  const [one, other] = vaults.map(vault => sender(vault, privateKey)) as [Send, Send]
  const create = (send: Send) => send('POST', '/tokens', card, { 'SVC-IDEMPOTENCY-KEY': 'once' })
  const replies = await Promise.all([one, other, one, other, one, other].map(create))
  const succeeded = replies.filter(({ status }) => status < 300)
  for (const { status, json } of replies) {
    if (status >= 300) t.match(json, { status: 409, type: 'urn:surrogate:error:idempotency_conflict' })
  }
  t.ok(succeeded.length > 0, 'one has done it')
  for (const send of [one, other]) succeeded.push(await create(send))
  t.equal(new Set(succeeded.map(({ json }) => json.id)).size, 1, 'it is answered again by either')
  t.equal((await other('GET', '/tokens')).json.pagination.total_items, 1)
})

const unseen = 'a token of containers that the one has never seen together is found by the other'
t.test(unseen, withPostgres, async t => {
  const { vaults } = await openReplicas(t)
  const tenant = await openTenant(vaults[0])
  const [one, other] = vaults.map(vault => sender(vault, tenant.privateKey)) as [Send, Send]
  const permissions = ['token:read', 'token:search']
  const { key } = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions }],
  })
  for (const [send, found, containers] of [
    [one, 1, ['/a/b/', '/a/c/']],
    [other, 2, ['/a/d/', '/a/e/']],
    [one, 2, ['/a/', '/z/']],
  ] as const) {
    await send('POST', '/tokens', { ...card, containers: [...containers] })
    for (const vault of vaults) {
      const { json } = await sender(vault, key)('GET', '/tokens')
      t.equal(json.pagination.total_items, found, containers.join(' '))
    }
  }
})

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
    for (const key of [keys[0], ...Array.from({ length: 5 }, (_, n) => `key-of-sixteen-and-more-${n}`)])
      t.equal((await sender(vault, key)('POST', '/tokens', card)).status, 201)
  }
})
