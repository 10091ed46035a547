import t from 'tap'
import { replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import { type Log, silentLog } from '../base/log.ts'
import { LevelEngine } from '../storage/engines/level/level-engine.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'
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

t.test('no entry holds what was stored', async t => {
  const tenant = await openTenant(vault)
  const canary = 'canary-value-7731'
  await tenant.send('POST', '/tokens', { type: 'token', data: canary, metadata: { note: canary } })
  await tenant.send('GET', '/tokens')
  const { text } = await tenant.asManagement('GET', '/logs')
  t.notMatch(text, /canary/)
})

class Flaky extends MemoryEngine {
  full = false
  /** Of audit entries, the terms of each commit. */
  readonly terms: number[] = []

  override async commit(...given: Parameters<MemoryEngine['commit']>) {
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
  const level = await LevelEngine.open(t.testdir())
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
    const reply = await entries(tenant, 'entity_type=token')
    t.equal(reply.length, written, 'those of the first attempt are there')
  }
  isLosing = false
  await read()
  t.equal((await entries(tenant, 'entity_type=token')).length, 6, 'and each is there once')
})

t.test('reads faster than their entries can be written wait for them, and none is lost', async t => {
  class Slow extends MemoryEngine {
    override async commit(...given: Parameters<MemoryEngine['commit']>) {
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
})
