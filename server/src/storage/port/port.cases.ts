import type { Test } from 'tap'
import { testRestores } from './port.cases.restore.ts'
import { testGet, testPages, testQueries } from './port.cases.search.ts'
import { testDue, testSeparation, testUpkeep } from './port.cases.upkeep.ts'
import { testCommits, testConditions, testStamps } from './port.cases.writes.ts'
import {
  conflict,
  digest,
  find,
  foundIds,
  get,
  idsOf,
  insert,
  mustCommit,
  nowMs,
  remove,
  replace,
  restore,
  tenantA,
  tenantB,
  term,
} from './port.samples.ts'
import type { Store } from './port.ts'

/** Abilities of an engine beyond those that the port requires. */
interface StoreSupport {
  /** Closes the store and opens the same data again; absent where data end with the process. */
  readonly reopen?: (store: Store) => Promise<Store>
  /** It keeps documents in memory that are read often. */
  readonly keepsRecent?: boolean
  /** It can put a tenant's documents back at once. */
  readonly takesSnapshots?: boolean
  /** Several processes may use it, with one time. */
  readonly sharesTime?: boolean
}

/** Every sentence of port.ts, as cases that each engine has to pass. `open` gives an empty store each time. */
export function runStoreCases(t: Test, open: () => Promise<Store>, supports: StoreSupport): void {
  const test = (name: string, run: (t: Test, store: Store) => Promise<void>) =>
    t.test(name, async t => {
      const store = await open()
      t.teardown(() => store.close())
      await run(t, store)
    })
  testConditions(test)
  testCommits(test)
  testStamps(test)
  testRestores(test)
  testGet(test, supports.keepsRecent)
  testQueries(test)
  testPages(test)
  testDue(test)
  testSeparation(test)
  testUpkeep(test)
  testAbilities(test, supports)
  if (supports.reopen) testReopen(t, open, supports.reopen)
}

function testAbilities(
  test: (name: string, run: (t: Test, store: Store) => Promise<void>) => void,
  { takesSnapshots = false, sharesTime = false }: StoreSupport,
): void {
  test('a snapshot puts the documents of a tenant back where the engine takes any', async (t, store) => {
    await mustCommit(store, [insert('a')])
    const restore = store.snapshot?.(tenantA, tenantB)
    t.equal(restore !== undefined, takesSnapshots)
    await mustCommit(store, [remove('a'), insert('b'), insert('c', { tenant: tenantB })])
    restore?.()
    t.same(await foundIds(store, { op: 'all' }), takesSnapshots ? ['a'].map(digest) : ['b'].map(digest))
    const [other] = await store.get('token', tenantB, [digest('c')])
    t.equal(other?.version, 1, 'not those of another')
  })

  test('there is one time for all processes where several may use the store', async (t, store) => {
    t.equal(typeof store.now?.(), sharesTime ? 'number' : 'undefined')
  })
}

function testReopen(t: Test, open: () => Promise<Store>, reopen: (store: Store) => Promise<Store>): void {
  t.test('everything committed is there when the data are opened again', async t => {
    const first = await open()
    await mustCommit(first, [insert('a', { terms: ['x'], uniques: ['u'], dueMs: 10 }), insert('b')], 1_000)
    await mustCommit(first, [replace('b', 1, { terms: ['x'] }), insert('c')], 2_000)
    await mustCommit(first, [remove('c')], 3_000)
    await first.lease({ name: 'sweep', holder: 'one', nowMs, untilMs: nowMs + 100 })
    const before = [await get(first, 'a', 'b', 'c'), await find(first, term('x'))]
    const store = await reopen(first)
    t.teardown(() => store.close())
    t.same([await get(store, 'a', 'b', 'c'), await find(store, term('x'))], before)
    t.same(idsOf(await store.due('token', 10, 10)), [digest('a')])
    t.same(await store.commit([insert('d', { uniques: ['u'] })], 1), conflict(0, 'unique', 'a'))
    t.equal(await store.lease({ name: 'sweep', holder: 'two', nowMs, untilMs: nowMs + 100 }), false)
    t.same(await store.commit([insert('c')], 1), { ok: true, written: [{ version: 1, createdUs: 2_002 }] })
    t.same(await foundIds(store, { op: 'all' }), ['c', 'b', 'a'].map(digest))
  })

  t.test('stamps go on growing when the last documents are gone', async t => {
    const first = await open()
    await mustCommit(first, [insert('a')], 1_000)
    await mustCommit(first, [remove('a')], 1_000)
    const store = await reopen(first)
    t.teardown(() => store.close())
    t.same(await store.commit([insert('a')], 5), { ok: true, written: [{ version: 1, createdUs: 1_001 }] })
  })

  t.test(
    'restored documents are there when the data are opened again, and later stamps follow them',
    async t => {
      const first = await open()
      const written = { version: 3, createdUs: 500, modifiedUs: 900 }
      await mustCommit(first, [restore('a', written, { terms: ['x'], uniques: ['u'] })], 1)
      await mustCommit(first, [restore('b', { version: 1, createdUs: 600 }), remove('b')], 1)
      const before = await get(first, 'a')
      const store = await reopen(first)
      t.teardown(() => store.close())
      t.same(await get(store, 'a'), before)
      t.same(await store.commit([restore('c', { version: 1, createdUs: 600 })], 1), conflict(0, 'order'))
      await mustCommit(store, [restore('c', { version: 1, createdUs: 601 })], 1)
      t.same(await store.commit([insert('d')], 5), { ok: true, written: [{ version: 1, createdUs: 901 }] })
      t.same(await foundIds(store, { op: 'all' }), ['d', 'c', 'a'].map(digest))
    },
  )
}
