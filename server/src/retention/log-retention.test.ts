import t from 'tap'
import { enginesToTry, openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import { createLog, silentLog } from '../base/log.ts'
import { LevelEngine } from '../storage/engines/level/level-engine.ts'
import { type OpenEngine, StoreUnavailable } from '../storage/port/port.ts'

const minute = 60_000
const day = 24 * 60 * minute
const now = () => Date.UTC(2030, 0, 1)

const countEntries = async (tenant: TestTenant): Promise<number> =>
  (await tenant.asManagement('GET', '/logs?size=1')).json.pagination.total_items

const create = (tenant: TestTenant, count: number) =>
  Promise.all(Array.from({ length: count }, () => tenant.send('POST', '/tokens', { type: 'token', data: 1 })))

for (const engine of enginesToTry) {
  t.test(`entries older than the retention go, of every tenant, and no other (${engine})`, async t => {
    const store = engine === 'level' ? await LevelEngine.open(t.testdir()) : await openTestStore(t)
    const options = { now, masterKey: newMasterKey(), auditRetentionDays: 10, log: silentLog }
    const vault = openVault(t, options, { openStore: async () => store })
    const tenants = [await openTenant(vault), await openTenant(vault)]
    for (const tenant of tenants) await create(tenant, 300)
    const before = await Promise.all(tenants.map(countEntries))
    await vault.clock.advance(9 * day)
    t.same(await Promise.all(tenants.map(countEntries)), before, 'not yet')
    for (const tenant of tenants) await create(tenant, 5)
    await vault.clock.advance(1.5 * day)
    t.same(await Promise.all(tenants.map(countEntries)), [5, 5])
    t.equal((await tenants[0]?.send('GET', '/tokens'))?.json.pagination.total_items, 305, 'tokens stay')
    // A list waits for the entries of what was read before it.
    t.same(await Promise.all(tenants.map(countEntries)), [5 + 1, 5])
    await vault.clock.advance(11.5 * day)
    t.same(await Promise.all(tenants.map(countEntries)), [0, 0])
  })
}

t.test('entries that name many resources are erased a few at a time', async t => {
  const store = await openTestStore(t)
  const erased: number[] = []
  const watched = replacing(store, {
    commit: (writes, nowUs) => {
      const count = writes.filter(({ type, kind }) => type === 'remove' && kind === 'audit').length
      if (count > 0) erased.push(count)
      return store.commit(writes, nowUs)
    },
  })
  const options = { now, masterKey: newMasterKey(), auditRetentionDays: 10, log: silentLog }
  const vault = openVault(t, options, { openStore: async () => watched })
  const tenant = await openTenant(vault)
  await create(tenant, 100)
  for (let read = 0; read < 12; read++) await tenant.send('GET', '/tokens?size=100')
  const before = await countEntries(tenant)
  await vault.clock.advance(11 * day)
  t.equal(await countEntries(tenant), 0)
  const found = erased.reduce((sum, count) => sum + count)
  t.equal(found, before)
  t.same(erased.slice(-2), [5, 3], 'with 101 terms each, five have no more than 512')
  t.ok(Math.max(...erased) > 5, 'those of one resource go together')
})

t.test('entries are kept for 400 days where nothing else is said', async t => {
  const vault = openVault(t, { now })
  const tenant = await openTenant(vault)
  await create(tenant, 1)
  const before = await countEntries(tenant)
  await vault.clock.advance(399 * day)
  t.equal(await countEntries(tenant), before)
  await vault.clock.advance(2 * day)
  t.equal(await countEntries(tenant), 0)
})

t.test('a walk that was cut off is gone on with, and a sound one comes once a day', async t => {
  const store = await openTestStore(t)
  let failing = false
  let walks = 0
  const watched: OpenEngine = replacing(store, {
    commit: async (writes, nowUs) => {
      if (failing && writes.some(({ type, kind }) => type === 'remove' && kind === 'audit')) {
        failing = false
        throw new Error('cut off')
      }
      return store.commit(writes, nowUs)
    },
    find: async (kind, tenant, query, options) => {
      if (kind === 'audit' && options.limit === 0) walks++
      return store.find(kind, tenant, query, options)
    },
  })
  const options = { now, masterKey: newMasterKey(), auditRetentionDays: 1, log: silentLog }
  const vault = openVault(t, options, { openStore: async () => watched })
  const tenant = await openTenant(vault)
  await create(tenant, 20)
  await vault.clock.advance(minute)
  failing = true
  await vault.clock.advance(2 * day)
  t.ok((await countEntries(tenant)) > 0, 'cut off')
  await vault.clock.advance(minute)
  t.equal(await countEntries(tenant), 0)
  walks = 0
  for (let hours = 0; hours < 48; hours++) await vault.clock.advance(60 * minute)
  // Of the tenant and of the root.
  t.ok(walks >= 2 && walks <= 4, `${walks} walks`)
})

t.test('a tenant whose entries cannot be read does not keep those of others from being erased', async t => {
  const store = await openTestStore(t)
  let down = ''
  const failing: OpenEngine = replacing(store, {
    find: async (kind, tenant, query, options) => {
      if (tenant === down) throw new StoreUnavailable('down')
      return store.find(kind, tenant, query, options)
    },
  })
  const lines: string[] = []
  const log = createLog(line => lines.push(line))
  const options = { now, masterKey: newMasterKey(), auditRetentionDays: 1, log }
  const vault = openVault(t, options, { openStore: async () => failing })
  const [hit, spared] = [await openTenant(vault), await openTenant(vault)]
  for (const one of [hit, spared]) await create(one, 20)
  down = hit.tenantId
  await vault.clock.advance(2 * day)
  t.equal(await countEntries(spared), 0)
  const found = lines.find(line => line.includes('erasing old log entries failed'))
  t.match(found, '"store unavailable"')
  down = ''
  t.ok((await countEntries(hit)) >= 20, 'the control')
  await vault.clock.advance(minute)
  t.equal(await countEntries(hit), 0, 'soon after it can be read again')
})

for (const days of [0, -1, 1.5, Number.NaN]) {
  t.test(`a retention of ${days} days is refused`, async t => {
    const vault = openVault(t, { auditRetentionDays: days })
    await t.rejects(vault.ready(), {
      name: 'VaultOptionsError',
      message: 'auditRetentionDays must be a whole number of days from 1 to 999999',
    })
  })
}
