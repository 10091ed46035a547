import fc from 'fast-check'
import t from 'tap'
import { replacing } from '../../../verify/support/stores.ts'
import { LevelEngine } from '../engines/level/level-engine.ts'
import { MemoryEngine } from '../engines/memory/memory-engine.ts'
import { addressOf, copyAddress, rootTenant } from '../keys/keyring.ts'
import { digest, insert, mustCommit, restore, tenantA, tenantB } from '../port/port.samples.ts'
import { documentKinds, type Engine, type Query } from '../port/port.ts'
import { documentsIn, walkCollection, walkTenants } from './walk.ts'

const tokens = { kind: 'token', tenant: tenantA } as const

async function walk(store: Engine): Promise<string[]> {
  const ids: string[] = []
  for await (const page of walkCollection(store, tokens)) ids.push(...page.map(({ id }) => id))
  return ids
}

/** Stamps with bursts, and with gaps of years between them. */
const stamps = fc
  .array(fc.tuple(fc.constantFrom(1, 3, 1_000, 10 ** 9, 10 ** 13), fc.integer({ min: 1, max: 90 })), {
    maxLength: 12,
  })
  .map(bursts => {
    let at = 0
    return bursts.flatMap(([gap, count]) => {
      at += gap
      return Array.from({ length: count }, () => at++)
    })
  })

t.test('every document is yielded once, in the order of creation', async t => {
  await fc.assert(
    fc.asyncProperty(stamps, async all => {
      const store = new MemoryEngine()
      const writes = all.map((createdUs, index) =>
        // Some are over since long, and still there.
        restore(index, { version: 1, createdUs }, index % 3 === 0 ? { dueMs: index % 2 } : {}),
      )
      await mustCommit(store, writes)
      t.same(await walk(store), [...all.keys()].map(digest))
    }),
    { numRuns: 40 },
  )
})

t.test('the store never counts matches, in as few pages as their size allows', async t => {
  const store = new MemoryEngine()
  const count = 20_000
  const writes = Array.from({ length: count }, (_, index) =>
    restore(index, { version: 1, createdUs: index * 997 + (index > 9_000 ? 10 ** 14 : 0) }),
  )
  await mustCommit(store, writes)
  const queries: Query[] = []
  const asking = replacing(store, {
    find: async (...given) => {
      queries.push(given[2])
      return store.find(...given)
    },
  })
  t.equal((await walk(asking)).length, count)
  for (const { op } of queries) t.equal(op, 'all', 'engines know the number of all documents')
  t.ok(queries.length < 50, `${queries.length} pages were asked for`)
  await mustCommit(store, [
    { ...insert('keys', { kind: 'tenant', tenant: rootTenant }), id: addressOf(tenantA) },
  ])
  const whole = queries.length
  let copied = 0
  for await (const { documents } of documentsIn(asking)()) copied += documents.length
  t.equal(copied, count + 1)
  t.ok(queries.length - whole < 14 + documentKinds.length * 2, `${queries.length - whole} for a copy`)
})

t.test('pages of large documents are short, also after many small ones', async t => {
  const box = new Uint8Array(400_000)
  const level = await LevelEngine.open(t.testdir())
  t.teardown(() => level.close())
  for (const store of [new MemoryEngine(), level]) {
    const writes = Array.from({ length: 3_100 }, (_, index) => insert(index, index < 3_000 ? {} : { box }))
    await mustCommit(store, writes.slice(0, 3_000))
    await mustCommit(store, writes.slice(3_000))
    const bytes: number[] = []
    let count = 0
    for await (const page of walkCollection(store, tokens)) {
      bytes.push(page.reduce((sum, { box }) => sum + box.length, 0))
      count += page.length
    }
    t.equal(count, 3_100)
    t.ok(Math.max(...bytes) <= (2 << 20) + 4 * box.length, `${bytes}`)
  }
})

t.test('the walk yields the root and then all tenants with keys', async t => {
  const store = new MemoryEngine()
  const keys = (tenant: string) => ({
    ...insert(0, { kind: 'tenant', tenant: rootTenant }),
    id: addressOf(tenant),
  })
  await mustCommit(store, [
    keys(tenantB),
    { ...insert(0), kind: 'tenant', tenant: rootTenant, id: copyAddress } as ReturnType<typeof insert>,
    keys(rootTenant),
    keys(tenantA),
  ])
  const found: string[] = []
  for await (const tenant of walkTenants(store)) found.push(tenant)
  t.same(found, [rootTenant, tenantB, tenantA])
})
