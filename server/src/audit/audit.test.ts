import t from 'tap'
import { replacing } from '../../testing/stores.ts'
import { openTenant, openVault, type TestTenant } from '../../testing/vault.ts'
import { silentLog } from '../base/log.ts'
import { LevelStore } from '../storage/engines/level/level-store.ts'
import { MemoryStore } from '../storage/engines/memory/memory-store.ts'
import { StoreUnavailable } from '../storage/port.ts'

const vault = openVault(t)

interface Entry {
  operation: string
  outcome: string
  actor_id?: string
  entity_id?: string
}

async function entries(tenant: TestTenant, query = ''): Promise<Entry[]> {
  const { status, json } = await tenant.asManagement('GET', `/logs?size=100&${query}`)
  if (status !== 200) throw new Error(JSON.stringify(json))
  return json.data
}

const operations = (list: Entry[]) => list.map(({ operation, outcome }) => `${operation} ${outcome}`)

t.test('what changes a token, and what reveals it, leaves an entry with who, what and when', async t => {
  const tenant = await openTenant(vault)
  const { id, created_by } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x', mask: '*' }))
    .json
  await tenant.send('GET', `/tokens/${id}`)
  await tenant.send('GET', '/tokens')
  await tenant.send('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } })
  await tenant.send('DELETE', `/tokens/${id}`)
  const found = await entries(tenant, `entity_type=token&entity_id=${id}`)
  t.same(operations(found).sort(), [
    'token:create success',
    'token:delete success',
    'token:read success',
    'token:read success',
    'token:update success',
  ])
  for (const entry of found) t.equal(entry.actor_id, created_by)
})

t.test('a masked read leaves none', async t => {
  const tenant = await openTenant(vault)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x', mask: '*' })).json
  const reader = await tenant.application({ permissions: ['token:read'] })
  t.equal((await reader('GET', `/tokens/${id}`)).json.data, '*')
  t.equal((await reader('GET', '/tokens')).json.data.length, 1)
  t.same(operations(await entries(tenant, `entity_id=${id}`)), ['token:create success'])
})

t.test('refused access leaves an entry, with the id only of what exists', async t => {
  const tenant = await openTenant(vault)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x', containers: ['/a/'] }))
    .json
  const reader = await tenant.application({
    rules: [{ priority: 1, container: '/b/', transform: 'mask', permissions: ['token:read'] }],
  })
  t.equal((await reader('GET', `/tokens/${id}`)).status, 403)
  t.equal((await reader('DELETE', '/tokens/4242424242424242')).status, 403)
  t.equal((await tenant.asManagement('GET', '/tokens')).status, 403)
  t.equal((await tenant.send('GET', '/logs')).status, 403)
  const refused = (await entries(tenant)).filter(entry => entry.outcome === 'refused')
  t.same(refused.map(entry => entry.operation).sort(), [
    'log:read',
    'token:delete',
    'token:read',
    'token:read',
  ])
  t.same(
    refused.map(entry => entry.entity_id).filter(given => given !== undefined),
    [id],
  )
})

t.test('the log is filtered by time and kind, and paged', async t => {
  const tenant = await openTenant(vault)
  const stamps: string[] = []
  for (let index = 0; index < 3; index++) {
    stamps.push((await tenant.send('POST', '/tokens', { type: 'token', data: index })).json.created_at)
  }
  const all = await tenant.asManagement('GET', '/logs?entity_type=token&size=2')
  t.match(all.json.pagination, { total_items: 3, total_pages: 2 })
  t.equal(all.json.data.length, 2)
  t.ok(
    (await entries(tenant, 'entity_type=application')).every(entry =>
      entry.operation.startsWith('application:'),
    ),
  )
  const future = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
  t.equal((await entries(tenant, `from=${future}`)).length, 0)
  t.equal((await entries(tenant, `entity_type=token&to=${future}`)).length, 3)
  t.equal((await tenant.asManagement('GET', '/logs?from=yesterday')).status, 400)
})

t.test('no entry holds what was stored', async t => {
  const tenant = await openTenant(vault)
  const canary = 'canary-value-7731'
  await tenant.send('POST', '/tokens', { type: 'token', data: canary, metadata: { note: canary } })
  await tenant.send('GET', '/tokens')
  const { text } = await tenant.asManagement('GET', '/logs')
  t.notMatch(text, /canary/)
})

t.test('entries that cannot be written now are written later', async t => {
  class Flaky extends MemoryStore {
    full = false
    override async commit(...given: Parameters<MemoryStore['commit']>) {
      if (this.full) throw new StoreUnavailable('full')
      return super.commit(...given)
    }
  }
  const store = new Flaky()
  const own = openVault(t, { log: silentLog }, { openStore: async () => store })
  const tenant = await openTenant(own)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })).json
  store.full = true
  t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 200)
  t.equal((await entries(tenant, 'entity_type=token')).length, 1)
  store.full = false
  t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 200)
  t.equal((await entries(tenant, 'entity_type=token')).length, 3)
})

t.test('entries of a commit whose answer was lost are not written again', async t => {
  // An engine that looks for no other document where it is told that an id is new.
  const level = await LevelStore.open(t.testdir())
  let isLosing = false
  const store = replacing(level, {
    commit: async (...given) => {
      const result = await level.commit(...given)
      if (isLosing) throw new StoreUnavailable('nobody knows')
      return result
    },
  })
  const own = openVault(t, { log: silentLog }, { openStore: async () => store })
  const tenant = await openTenant(own)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })).json
  const read = () => tenant.send('GET', `/tokens/${id}`)
  isLosing = true
  for (const _ of [1, 2]) {
    await Promise.all([read(), read()])
    t.equal((await entries(tenant, 'entity_type=token')).length, 3, 'those of the first attempt are there')
  }
  isLosing = false
  await read()
  t.equal((await entries(tenant, 'entity_type=token')).length, 6, 'and each is there once')
})

t.test(
  'reads that come faster than their entries can be written wait for them, and none is lost',
  async t => {
    class Slow extends MemoryStore {
      override async commit(...given: Parameters<MemoryStore['commit']>) {
        await new Promise(resolve => setImmediate(resolve))
        return super.commit(...given)
      }
    }
    const lost: string[] = []
    const log = { ...silentLog, error: (event: string) => lost.push(event) }
    const own = openVault(t, { log, dev: false }, { openStore: async () => new Slow() })
    const tenant = await openTenant(own)
    await Promise.all(
      Array.from({ length: 50 }, () => tenant.send('POST', '/tokens', { type: 'token', data: 'x' })),
    )
    await Promise.all(Array.from({ length: 300 }, () => tenant.send('GET', '/tokens?size=50')))
    t.same(lost, [])
    const { json } = await tenant.asManagement('GET', '/logs?entity_type=token&size=1')
    t.equal(json.pagination.total_items, 50 + 300 * 50)
  },
)
