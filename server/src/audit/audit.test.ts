import t from 'tap'
import { replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import { type Log, silentLog } from '../base/log.ts'
import { LevelStore } from '../storage/engines/level/level-store.ts'
import { MemoryStore } from '../storage/engines/memory/memory-store.ts'
import { StoreUnavailable } from '../storage/port/port.ts'

const vault = openVault(t)

interface Entry {
  operation: string
  outcome: string
  actor_id?: string
  entity_id?: string
  entity_ids?: string[]
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

t.test('tokens that a request reveals together have one entry, which is found by each of them', async t => {
  const tenant = await openTenant(vault)
  const make = async (data: number) =>
    (await tenant.send('POST', '/tokens', { type: 'token', data, containers: ['/a/'] })).json.id as string
  const [one, two, hidden] = [await make(1), await make(2), await make(3)]
  await tenant.send('PATCH', `/tokens/${hidden}`, { containers: ['/b/'], mask: '*' })
  const rule = { priority: 1, permissions: ['token:read', 'token:search', 'token:use'] }
  const reader = await tenant.application({
    rules: [
      { ...rule, container: '/a/', transform: 'reveal' },
      { ...rule, priority: 2, container: '/b/', transform: 'mask' },
    ],
  })
  const payload = [one, two, one, hidden].map(id => `{{ ${id} }}`)
  const ways: Record<string, () => Promise<{ status: number }>> = {
    'token:read': () => reader('GET', '/tokens'),
    'token:search': () => reader('POST', '/tokens/search', { query: 'type:token' }),
    'token:use': () => reader('POST', '/detokenize', payload),
  }
  for (const [operation, send] of Object.entries(ways)) {
    t.equal((await send()).status, 200)
    for (const id of [one, two]) {
      const found = (await entries(tenant, `entity_id=${id}`)).filter(entry => entry.operation === operation)
      t.equal(found.length, 1, operation)
      t.match(found[0], { actor_id: reader.id, outcome: 'success' })
      t.same(found[0]?.entity_ids?.toSorted(), [one, two].toSorted(), 'not what was masked, and each once')
      t.notOk('entity_id' in (found[0] as Entry))
    }
  }
  t.same(operations(await entries(tenant, `entity_id=${hidden}`)), [
    'token:update success',
    'token:create success',
  ])
  t.equal((await reader('POST', '/detokenize', payload.slice(1, 2))).status, 200)
  const [alone] = await entries(tenant, `entity_id=${two}`)
  t.equal(alone?.entity_id, two)
  t.notOk('entity_ids' in (alone as Entry), 'one alone is not a list')
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

class Flaky extends MemoryStore {
  full = false
  /** Of audit entries, the terms of each commit. */
  readonly terms: number[] = []

  override async commit(...given: Parameters<MemoryStore['commit']>) {
    if (this.full) throw new StoreUnavailable('full')
    const [writes] = given
    const entries = writes.filter(write => write.kind === 'audit' && 'terms' in write)
    this.terms.push(entries.reduce((sum, write) => sum + ('terms' in write ? write.terms.length : 0), 0))
    return super.commit(...given)
  }
}

t.test('entries that cannot be written now are written later', async t => {
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

t.test('while entries cannot be written, those of the last 10,000 resources are kept', async t => {
  const store = new Flaky()
  const lost: number[] = []
  const error = (event: string, { entries }: { entries?: number } = {}) => {
    if (event === 'audit entries lost') lost.push(entries as number)
  }
  const own = openVault(
    t,
    { log: { ...silentLog, error } as Log, dev: false },
    { openStore: async () => store },
  )
  const tenant = await openTenant(own)
  const reveal = (count: number) => tenant.send('GET', `/tokens?size=${count}`)
  for (let made = 0; made < 100; made++) await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })
  store.full = true
  await reveal(1)
  for (let sent = 0; sent < 99; sent++) t.equal((await reveal(100)).status, 200)
  t.same(lost, [], 'of 9,901')
  for (let sent = 0; sent < 9; sent++) await reveal(100)
  t.ok(lost.length > 0, 'of 10,801')
  store.full = false
  store.terms.length = 0
  await reveal(2)
  const kept = await entries(tenant, 'entity_type=token')
  t.equal(kept[0]?.entity_ids?.length, 2, 'the newest is there')
  const { json } = await tenant.asManagement('GET', '/logs?entity_type=token&size=1')
  t.equal(json.pagination.total_items, 100 + 1 + 108 + 1 - lost.reduce((sum, one) => sum + one))
  t.ok(Math.max(...store.terms) <= 2 * 512, 'few are written together, as each id is a term')
})

t.test('entries of a commit whose answer was lost are not written again', async t => {
  // An engine that looks for no other document where it is told that an id is new.
  const level = await LevelStore.open(t.testdir())
  let isLosing = false
  const store = replacing(level, {
    commit: async (...given) => {
      const result = await level.commit(...given)
      if (isLosing && result.ok) throw new StoreUnavailable('nobody knows')
      return result
    },
  })
  const own = openVault(t, { log: silentLog }, { openStore: async () => store })
  const tenant = await openTenant(own)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })).json
  const read = () => tenant.send('GET', `/tokens/${id}`)
  isLosing = true
  for (const written of [3, 5]) {
    await Promise.all([read(), read()])
    t.equal(
      (await entries(tenant, 'entity_type=token')).length,
      written,
      'those of the first attempt are there',
    )
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
    t.equal(json.pagination.total_items, 50 + 300)
  },
)
