import t from 'tap'
import { newMasterKey, replacing, sealedOn } from '../../verify/support/stores.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'
import type { OpenEngine, Query } from '../storage/port/port.ts'
import type { TenantRecords } from '../storage/records/records.ts'

const rules = (...containers: string[]): JsonValue => ({
  rules: containers.map((container, index) => ({
    priority: index + 1,
    container,
    transform: 'mask',
    permissions: ['token:read'],
  })),
})

/** A store that says how many documents its searches read, and how long their queries are. */
function counting(store: OpenEngine) {
  const spent = { documents: 0, parts: 0 }
  const counted = replacing(store, {
    find: async (kind, tenant, query, options) => {
      const found = await store.find(kind, tenant, query, options)
      spent.documents += found.documents.length
      spent.parts += partsOf(query)
      return found
    },
  })
  return { store: counted, spent }
}

function partsOf(query: Query): number {
  if (query.op === 'not') return 1 + partsOf(query.of)
  return query.op === 'and' || query.op === 'or' ? query.of.reduce((sum, part) => sum + partsOf(part), 1) : 1
}

t.test('what a list reads depends on its page, not on the combinations of containers there are', async t => {
  const { store, spent } = counting(new MemoryEngine())
  const tenant = await openTenant(openVault(t, {}, { openStore: async () => store }))
  const reader = await tenant.application(rules('/a/', '/b/'))
  const list = async () => {
    Object.assign(spent, { documents: 0, parts: 0 })
    const { json } = await reader('GET', '/tokens?size=5')
    return { total: json.pagination.total_items, shown: json.data.length, ...spent }
  }
  const add = async (index: number) => {
    const containers = [`/a/${index}/`, `/b/${index}/`, ...(index % 2 ? [] : [`/c/${index}/`])]
    return (await tenant.send('POST', '/tokens', { type: 'token', data: 1, containers })).json.id
  }
  const empty = await list()
  t.match(empty, { total: 0, shown: 0, documents: 0 })
  const ids: string[] = []
  for (let index = 0; index < 60; index++) ids.push(await add(index))
  // The page, and one more to see whether there is another.
  t.same(await list(), { total: 30, shown: 5, documents: 6, parts: empty.parts })
  for (const id of ids) await tenant.send('DELETE', `/tokens/${id}`)
  t.same(await list(), empty, 'nothing stays behind')
})

t.test('the query of a list grows with the rules, and with nothing else', async t => {
  const { store, spent } = counting(new MemoryEngine())
  const tenant = await openTenant(openVault(t, {}, { openStore: async () => store }))
  const partsWith = async (count: number) => {
    const containers = Array.from({ length: count }, (_, index) => `/a/${index}/`)
    const reader = await tenant.application(rules(...containers))
    spent.parts = 0
    await reader('GET', '/tokens')
    return spent.parts
  }
  const [ten, hundred] = [await partsWith(10), await partsWith(100)]
  t.ok(hundred < 1200 && hundred < 10 * ten, `${ten} parts of ten rules, ${hundred} of a hundred`)
})

t.test('a token from before containers had bounds is read, found and changed', async t => {
  const store = new MemoryEngine()
  const masterKey = newMasterKey()
  const tenant = await openTenant(openVault(t, { masterKey }, { openStore: async () => store }))
  await tenant.send('POST', '/tokens', { id: 'old', type: 'token', data: 1, containers: ['/a/', '/b/'] })
  const view = (await sealedOn(store, masterKey).tenant(tenant.tenantId)) as TenantRecords
  const record = await view.get<{ id: string }>('token', 'old')
  const containers = [`/a/${'b/'.repeat(70_000)}`, `/b/${'a'.repeat(140_000)}/`]
  const { terms = [] } = (await store.get('token', view.tenant, [view.address('token', 'old')]))[0] ?? {}
  await view.commit(
    [
      view.replace('token', record?.version ?? 0, { ...record?.value, id: 'old', containers } as never, {
        terms,
      }),
    ],
    Date.now() * 1000,
  )
  const reader = await tenant.application(rules('/a/b/', '/b/'))
  t.same((await tenant.send('GET', '/tokens/old')).json.containers, containers)
  const changed = await tenant.send('PATCH', '/tokens/old', { metadata: { k: 'v' } })
  t.equal(changed.status, 200, changed.text.slice(0, 200))
  t.equal((await reader('GET', '/tokens/old')).status, 200)
  t.equal((await reader('GET', '/tokens')).json.pagination.total_items, 1)
  const found = await tenant.send('POST', '/tokens/search', { query: 'container:/a/b/* AND metadata.k:v' })
  t.equal(found.json.pagination.total_items, 1)
})
