import type { Test } from 'tap'
import { machineMs } from '../../base/time/real-time.ts'
import { testGet, testPages, testQueries } from './port.cases.search.ts'
import { testDue, testSeparation, testUpkeep } from './port.cases.upkeep.ts'
import { testCommits, testConditions, testStamps } from './port.cases.writes.ts'
import {
  conflict,
  type Define,
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
import type { OpenEngine } from './port.ts'

/** Abilities of an engine beyond those that the port requires. */
interface StoreSupport {
  /** Closes the store and opens the same data again; absent where data end with the process. */
  readonly reopen?: (store: OpenEngine) => Promise<OpenEngine>
  /** It keeps documents in memory that are read often. */
  readonly keepsRecent?: boolean
  /** It can put a tenant's documents back at once. */
  readonly takesSnapshots?: boolean
  /** Several processes may use it, with one time. */
  readonly sharesTime?: boolean
}

/** Every sentence of port.ts, as cases that each engine has to pass. `open` gives an empty store each time. */
export function runStoreCases(t: Test, open: () => Promise<OpenEngine>, supports: StoreSupport): void {
  const test: Define = (name, run) =>
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

function testAbilities(test: Define, { takesSnapshots = false, sharesTime = false }: StoreSupport): void {
  test('a snapshot puts the documents of a tenant back where the engine takes any', async (t, store) => {
    await mustCommit(store, [insert('a')])
    const restore = store.snapshot(tenantA, tenantB)
    t.equal(restore !== undefined, takesSnapshots)
    await mustCommit(store, [remove('a'), insert('b'), insert('c', { tenant: tenantB })])
    restore?.()
    t.same(await foundIds(store, { op: 'all' }), takesSnapshots ? ['a'].map(digest) : ['b'].map(digest))
    const [other] = await store.get('token', tenantB, [digest('c')])
    t.equal(other?.version, 1, 'not those of another')
  })

  test('there is one time for all processes', async (t, store) => {
    const before = machineMs()
    const now = store.now()
    // A database has a clock of its own.
    if (sharesTime) return void t.type(now, 'number')
    t.ok(now >= before && now <= machineMs(), 'that of the machine')
  })
}

function testReopen(
  t: Test,
  open: () => Promise<OpenEngine>,
  reopen: (store: OpenEngine) => Promise<OpenEngine>,
): void {
  t.test('everything committed is there when the data are opened again', async t => {
    const first = await open()
    await mustCommit(first, [insert('a', { terms: ['x'], uniques: ['u'], dueMs: 10 }), insert('b')], 1_000)
    await mustCommit(first, [replace('b', 1, { terms: ['x'] }), insert('c')], 2_000)
    await mustCommit(first, [remove('c')], 3_000)
    await first.lease({ name: 'sweep', holder: 'one', nowMs, untilMs: nowMs + 100 })
    const before = { got: await get(first, 'a', 'b', 'c'), found: await find(first, term('x')) }
    const store = await reopen(first)
    t.teardown(() => store.close())
    t.same({ got: await get(store, 'a', 'b', 'c'), found: await find(store, term('x')) }, before)
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

  t.test('restored documents are there when data are opened again, later stamps after them', async t => {
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
  })
}

const first = { version: 1, createdUs: 100 }
const second = { version: 7, createdUs: 200, modifiedUs: 900 }

/** Documents put in place as they were elsewhere. */
function testRestores(test: Define): void {
  test('restore keeps version and stamps, and the document is found like any other', async (t, store) => {
    const sample = { terms: ['x'], uniques: ['u'], dueMs: 40 }
    const result = await store.commit([restore('a', first), restore('b', second, sample)], 1)
    t.same(result, { ok: true, written: [first, second] })
    const [, document] = await get(store, 'a', 'b')
    t.same(document, {
      kind: 'token',
      tenant: tenantA,
      id: digest('b'),
      terms: [digest('x')],
      uniques: [digest('u')],
      dueMs: 40,
      box: new TextEncoder().encode('box of b'),
      ...second,
    })
    t.same(await foundIds(store, term('x')), [digest('b')])
    t.same(await foundIds(store, { op: 'all' }), ['b', 'a'].map(digest))
    t.same(await foundIds(store, { op: 'created', fromUs: 101 }), [digest('b')])
    t.same(await foundIds(store, { op: 'modified', fromUs: 900, toUs: 900 }), [digest('b')])
    t.same(await foundIds(store, { op: 'modified' }), [digest('b')], 'the other was never modified')
    t.same((await find(store, { op: 'all' }, { nowMs: 40 })).total, 1, 'what is over is over')
    const ids = (await store.due('token', 40, 10)).map(({ id }) => id)
    t.same(ids, [digest('b')])
    await mustCommit(store, [replace('b', 7), remove('a', 1)], 1)
    t.same(await foundIds(store, term('x')), [])
    t.same(await store.due('token', 40, 10), [])
  })

  test('restore refuses an address that is taken, and a unique, whose holder it names', async (t, store) => {
    await mustCommit(store, [restore('a', first, { uniques: ['u'] })])
    t.same(await store.commit([restore('a', second)], 1), conflict(0, 'exists'))
    t.same(await store.commit([restore('b', second, { uniques: ['u'] })], 1), conflict(0, 'unique', 'a'))
    t.same(await store.commit([insert('c', { uniques: ['u'] })], 1), conflict(0, 'unique', 'a'))
    await mustCommit(store, [restore('b', second, { uniques: ['v'] })])
  })

  test('restore requires the order of creation, regardless of modifications', async (t, store) => {
    await mustCommit(store, [restore('a', { version: 2, createdUs: 50, modifiedUs: 5_000 })])
    await mustCommit(store, [restore('b', second)])
    for (const createdUs of [0, 199, 200])
      t.same(await store.commit([restore('c', { version: 1, createdUs })], 1), conflict(0, 'order'))
    await mustCommit(store, [restore('c', { version: 1, createdUs: 201 })])
    await mustCommit(store, [restore('c', { version: 1, createdUs: 0 }, { tenant: tenantB })])
    t.same(await foundIds(store, { op: 'all' }), ['c', 'b', 'a'].map(digest))
    t.same(await foundIds(store, { op: 'created', fromUs: 51, toUs: 200 }), [digest('b')])
  })

  test('removed documents, and those of the same commit, count for the order of restores', async (t, store) => {
    await mustCommit(store, [insert('a')], 300)
    await mustCommit(store, [remove('a')])
    t.same(await store.commit([restore('b', { version: 1, createdUs: 300 })], 1), conflict(0, 'order'))
    const early = restore('c', { version: 1, createdUs: 301 })
    t.same(await store.commit([restore('b', { version: 1, createdUs: 301 }), early], 1), conflict(1, 'order'))
    await mustCommit(store, [restore('b', { version: 1, createdUs: 301 })])
  })

  test('a failed commit restores nothing and does not change the order', async (t, store) => {
    const sample = { terms: ['x'], uniques: ['u'], dueMs: 4 }
    t.same(await store.commit([restore('a', second, sample), remove('nobody')], 1), conflict(1, 'missing'))
    t.same(await get(store, 'a'), [undefined])
    t.same(await foundIds(store, { op: 'modified' }), [])
    const found = await store.commit([insert('b', { uniques: ['u'] })], 3)
    t.same(found, { ok: true, written: [{ version: 1, createdUs: 3 }] })
    await mustCommit(store, [restore('c', { version: 1, createdUs: 4 })])
  })

  test('later stamps are greater than restored ones', async (t, store) => {
    await mustCommit(store, [restore('a', first), restore('b', second)])
    t.same(await store.commit([insert('c'), replace('a', 1)], 5), {
      ok: true,
      written: [
        { version: 1, createdUs: 901 },
        { version: 2, createdUs: 100, modifiedUs: 902 },
      ],
    })
    // An old document does not turn the stamps back.
    await mustCommit(store, [restore('d', { version: 1, createdUs: 950 })])
    await mustCommit(store, [replace('b', 7)], 2_000)
    await mustCommit(store, [restore('e', { version: 1, createdUs: 960 })])
    t.same(await store.commit([insert('f')], 5), { ok: true, written: [{ version: 1, createdUs: 2_001 }] })
  })

  test('versions and stamps that are not valid are refused, without affecting others', async (t, store) => {
    const good = store.commit([restore('a', second)], 1)
    const wrong = [
      { version: 0, createdUs: 300 },
      { version: 1.5, createdUs: 300 },
      { version: 2 ** 31, createdUs: 300 },
      { version: 1, createdUs: -1 },
      { version: 1, createdUs: 300.5 },
      { version: 2, createdUs: 300, modifiedUs: Number.NaN },
      { version: 2, createdUs: 300, modifiedUs: 300 },
    ]
    for (const written of wrong) await t.rejects(store.commit([restore('b', written)], 1), RangeError)
    t.equal((await good).ok, true)
    t.same(await get(store, 'b'), [undefined])
    await mustCommit(store, [restore('b', { version: 2 ** 31 - 1, createdUs: 300, modifiedUs: 301 })])
  })
}
