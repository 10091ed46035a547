import t from 'tap'
import { enginesToTry, openTestStore } from '../../verify/support/storage.ts'
import { dyingAfter, newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, sender, type TestTenant } from '../../verify/support/vault.ts'
import { createLog, silentLog } from '../base/log.ts'
import { LevelEngine } from '../storage/engines/level/level-engine.ts'
import { type OpenEngine, StoreUnavailable } from '../storage/port/port.ts'
import type { Vault } from '../vault.ts'

const minute = 60_000
const now = () => Date.UTC(2030, 0, 1)
const card = { number: '4242424242424242', cvc: '123' }
const ending = { type: 'card', data: card, expires_at: '2030-01-01T00:00:10Z' }

const masterKey = newMasterKey()
const vaultOn = (t: Parameters<typeof openVault>[0], store: OpenEngine) =>
  openVault(t, { masterKey, now, log: silentLog }, { openStore: async () => store })

const create = (tenant: TestTenant, count: number) =>
  Promise.all(Array.from({ length: count }, () => tenant.send('POST', '/tokens', ending)))

/** Counts the expiry entries of each token. */
async function expiries(vault: Vault, tenant: TestTenant): Promise<Map<string, number>> {
  const send = sender(vault, tenant.managementKey)
  const counts = new Map<string, number>()
  for (let page = 1; ; page++) {
    const { json } = await send('GET', `/logs?entity_type=token&size=100&page=${page}`)
    for (const { operation, entity_id } of json.data) {
      if (operation === 'token:expire') counts.set(entity_id, (counts.get(entity_id) ?? 0) + 1)
    }
    if (page >= json.pagination.total_pages) return counts
  }
}

const repeated = (counts: Map<string, number>) => [...counts].filter(([, times]) => times > 1)

async function countLeft(store: OpenEngine, tenant: TestTenant): Promise<number> {
  const all = { nowMs: 0, offset: 0, limit: 0 }
  const tokens = await store.find('token', tenant.tenantId, { op: 'all' }, all)
  const codes = await store.find('token-cvc', tenant.tenantId, { op: 'all' }, all)
  return tokens.total + codes.total
}

for (const survived of [0, 1, 63, 64, 65, 150]) {
  t.test(`a process dies ${survived} erasures into a sweep, and the next one finishes it`, async t => {
    const store = await openTestStore(t)
    const first = vaultOn(t, store)
    const tenant = await openTenant(first)
    await create(tenant, 200)

    const dying = vaultOn(t, dyingAfter(store, survived))
    await dying.clock.advance(minute).catch(() => {})

    const next = vaultOn(t, store)
    await next.clock.advance(minute)
    t.equal((await expiries(next, tenant)).size, survived, 'as long as its lease lasts nobody else sweeps')
    await next.clock.advance(5 * minute)
    const counts = await expiries(next, tenant)
    t.equal(counts.size, 200, 'each token has its entry')
    t.same(repeated(counts), [], 'and one only')
    t.equal(await countLeft(store, tenant), 0, 'nothing is left of tokens and codes')
  })
}

t.test('of two sweepers on one store one does the work, and no step of it twice', async t => {
  const store = await openTestStore(t)
  let removals = 0
  const counting = replacing(store, {
    commit: (writes, nowUs) => {
      removals += writes.filter(({ type, kind }) => type === 'remove' && kind === 'token').length
      return store.commit(writes, nowUs)
    },
  })
  const one = vaultOn(t, counting)
  const two = vaultOn(t, counting)
  const tenant = await openTenant(one)
  await create(tenant, 200)
  await Promise.all([one.clock.advance(minute), two.clock.advance(minute)])
  const counts = await expiries(one, tenant)
  t.equal(removals, 200)
  t.equal(counts.size, 200)
  t.same(repeated(counts), [])
})

t.test('even where the lease fails two sweepers, what one has done the other does not do again', async t => {
  const store = await openTestStore(t)
  const leaseless = replacing(store, { lease: async () => true })
  const one = vaultOn(t, leaseless)
  const two = vaultOn(t, leaseless)
  const tenant = await openTenant(one)
  await create(tenant, 200)
  await Promise.all([one.clock.advance(minute), two.clock.advance(minute)])
  const counts = await expiries(one, tenant)
  t.equal(counts.size, 200)
  t.same(repeated(counts), [])
  t.equal(await countLeft(store, tenant), 0)
})

t.test('a sweep goes on without leases while their node of the database does not answer', async t => {
  const store = await openTestStore(t)
  const leaseless = replacing(store, {
    lease: async () => {
      throw new StoreUnavailable('down')
    },
  })
  const vault = vaultOn(t, leaseless)
  const tenant = await openTenant(vault)
  await create(tenant, 200)
  await vault.clock.advance(minute)
  t.equal(await countLeft(store, tenant), 0)
})

t.test('a tenant that cannot be written to does not keep those of others from being erased', async t => {
  const store = await openTestStore(t)
  let down = ''
  const failing = replacing(store, {
    commit: async (writes, nowUs) => {
      if (writes.some(({ tenant }) => tenant === down)) throw new StoreUnavailable('down')
      return store.commit(writes, nowUs)
    },
  })
  const lines: string[] = []
  const log = createLog(line => lines.push(line))
  const vault = openVault(t, { masterKey, now, log }, { openStore: async () => failing })
  const [hit, spared] = [await openTenant(vault), await openTenant(vault)]
  for (const one of [hit, spared]) await create(one, 100)
  down = hit.tenantId
  await vault.clock.advance(minute)
  t.equal(await countLeft(store, hit), 200)
  t.equal(await countLeft(store, spared), 0)
  const found = lines.find(line => line.includes('sweep failed'))
  t.match(found, '"store unavailable"')
  down = ''
  await vault.clock.advance(minute)
  t.equal(await countLeft(store, hit), 0)
})

t.test('a sweep ends soon where the store takes no writes', async t => {
  const store = await openTestStore(t)
  let isDown = false
  const tried = new Map<string, number>()
  const failing = replacing(store, {
    commit: async (writes, nowUs) => {
      const removed = writes.find(({ type, kind }) => type === 'remove' && kind === 'token')
      if (isDown && removed) tried.set(removed.id, (tried.get(removed.id) ?? 0) + 1)
      if (isDown) throw new StoreUnavailable('read-only')
      return store.commit(writes, nowUs)
    },
  })
  const vault = vaultOn(t, failing)
  const tenant = await openTenant(vault)
  for (let n = 0; n < 5; n++) await create(tenant, 200)
  isDown = true
  await vault.clock.advance(minute).catch(() => {})
  t.ok(tried.size > 0 && tried.size <= 600, `${tried.size} of 1000 were tried`)
  isDown = false
  await vault.clock.advance(minute)
  t.equal(await countLeft(store, tenant), 0)
})

t.test('a sweep ends soon where the keys of tenants cannot be read', async t => {
  const store = await openTestStore(t)
  const tenant = await openTenant(vaultOn(t, store))
  for (let n = 0; n < 5; n++) await create(tenant, 200)
  const limits: number[] = []
  let isDown = true
  const failing = replacing(store, {
    get: async (kind, of, id) => {
      const found = await store.get(kind, of, id)
      if (kind === 'tenant' && isDown && limits.length > 0) throw new StoreUnavailable('down')
      return found
    },
    due: async (kind, beforeMs, limit) => {
      if (kind === 'token') limits.push(limit)
      return store.due(kind, beforeMs, limit)
    },
  })
  const lines: string[] = []
  const log = createLog(line => lines.push(line))
  const vault = openVault(t, { masterKey, now, log }, { openStore: async () => failing })
  await vault.clock.advance(minute)
  t.ok(limits.length > 1 && Math.max(...limits) <= 600, `${limits}`)
  const seen = lines.find(line => line.includes('sweep failed'))
  t.match(seen, '"store unavailable"')
  isDown = false
  await vault.clock.advance(minute)
  t.equal(await countLeft(store, tenant), 0)
})

t.test('a sweeper whose lease another has taken stops at its next pause', async t => {
  const store = await openTestStore(t)
  let mine = 0
  let looks = 0
  const losing = replacing(store, {
    // The first time it is given; then, after more than half of it, it is somebody else's.
    lease: async () => mine++ === 0,
    due: async (kind, beforeMs, limit) => {
      if (kind === 'token') {
        looks++
        realMs += 3 * minute
      }
      return store.due(kind, beforeMs, limit)
    },
  })
  let realMs = now()
  const vault = openVault(
    t,
    { masterKey, now: () => realMs, log: silentLog },
    { openStore: async () => losing },
  )
  const tenant = await openTenant(vault)
  await create(tenant, 200)
  await vault.clock.advance(minute)
  t.equal(looks, 1)
  t.ok((await countLeft(store, tenant)) > 0)
})

for (const engine of enginesToTry) {
  t.test(`reads are answered between the batches of a sweep (${engine})`, async t => {
    const store = engine === 'level' ? await LevelEngine.open(t.testdir()) : await openTestStore(t)
    const events: ('batch' | 'read')[] = []
    const watched = replacing(store, {
      due: (kind, beforeMs, limit) => {
        if (kind === 'token') events.push('batch')
        return store.due(kind, beforeMs, limit)
      },
    })
    const vault = vaultOn(t, watched)
    const tenant = await openTenant(vault)
    await create(tenant, 1000)
    await tenant.send('POST', '/tokens', { id: 'stays', type: 'token', data: 1 })

    let sweeping = true
    const reader = async () => {
      while (sweeping) {
        t.equal((await tenant.send('GET', '/tokens/stays')).status, 200)
        events.push('read')
        // As over a wire: the next request comes with a later turn.
        await new Promise(resolve => setImmediate(resolve))
      }
    }
    const readers = [reader(), reader()]
    await vault.clock.advance(minute)
    sweeping = false
    await Promise.all(readers)

    const batches = events.filter(event => event === 'batch').length
    t.ok(batches >= 1000 / 64, `${batches} batches`)
    const longestWait = Math.max(
      ...events
        .join(' ')
        .split('read')
        .map(run => run.split('batch').length - 1),
    )
    // A read of a database waits for it several times, as a batch does, and any read for a later turn of a busy loop.
    const mostWait = batches / 2
    t.ok(
      longestWait <= mostWait,
      `at most ${longestWait} batches between two reads of ${events.length - batches}`,
    )
    t.equal(await countLeft(store, tenant), 1)
  })
}

t.test('a sweep ends at its next pause when the server is told to leave', async t => {
  const store = await openTestStore(t)
  let looks = 0
  let onLook = () => {}
  const watched = replacing(store, {
    due: (kind, beforeMs, limit) => {
      if (kind === 'token') looks++
      onLook()
      return store.due(kind, beforeMs, limit)
    },
  })
  const vault = vaultOn(t, watched)
  const tenant = await openTenant(vault)
  await create(tenant, 300)
  let closed: Promise<void> | undefined
  onLook = () => {
    closed ??= vault.close()
  }
  await vault.clock.advance(minute)
  await closed
  t.ok(looks < 3, `${looks} batches of 5`)
  t.ok((await countLeft(store, tenant)) > 100)
})

t.test('several servers compact hardly more often than one', async t => {
  const store = await openTestStore(t)
  let compactions = 0
  const counting = replacing(store, {
    compact: async () => {
      compactions++
    },
  })
  const vaults = Array.from({ length: 5 }, () => vaultOn(t, counting))
  for (let minutes = 0; minutes < 120; minutes++)
    await Promise.all(vaults.map(vault => vault.clock.advance(minute)))
  t.ok(compactions >= 4 && compactions <= 6, `${compactions} compactions in two hours`)
})
