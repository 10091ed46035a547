import {
  type Define,
  digest,
  find,
  foundIds,
  get,
  idsOf,
  insert,
  mustCommit,
  remove,
  replace,
  tenantA,
  tenantB,
  term,
} from './port.samples.ts'
import type { OpenEngine, Query } from './port.ts'

/** get, find and its pages. Run by `runStoreCases`. */

export function testGet(test: Define, keepsRecent = false): void {
  test('get returns documents in the order of the ids, including due ones', async (t, store) => {
    await mustCommit(store, [insert('a', { dueMs: 1 }), insert('b')])
    const documents = await get(store, 'b', 'x', 'a', 'b')
    const ids = documents.map(document => document?.id)
    t.same(ids, [digest('b'), undefined, digest('a'), digest('b')])
    t.same(await get(store), [])
  })

  test('get of many ids returns the same as get of few', async (t, store) => {
    await mustCommit(
      store,
      Array.from({ length: 300 }, (_, id) => insert(id)),
    )
    const documents = await get(store, ...Array.from({ length: 400 }, (_, id) => id))
    const ids = documents.map(document => document?.id)
    t.same(
      ids,
      Array.from({ length: 400 }, (_, id) => (id < 300 ? digest(id) : undefined)),
    )
  })

  test('what is in memory is what get returns, and gone with each change', async (t, store) => {
    const sample = { kind: 'application' } as const
    const inMemory = (tenant = tenantA) => store.inMemory('application', tenant, digest('a'))
    const read = async () => (await store.get('application', tenantA, [digest('a')]))[0]
    t.equal(inMemory(), undefined, 'nothing that does not exist')
    await mustCommit(store, [insert('a', sample), insert('b')])
    const written = await read()
    if (!keepsRecent) return void t.equal(inMemory(), undefined, 'this engine keeps none')
    t.same(inMemory(), written)
    t.equal(inMemory(tenantB), undefined, 'nothing of another tenant')
    const replacing = mustCommit(store, [replace('a', 1, sample)])
    t.same(inMemory(), written, 'as long as get returns it')
    await replacing
    t.equal(inMemory(), undefined)
    t.equal((await read())?.version, 2)
    t.equal(inMemory()?.version, 2)
    await mustCommit(store, [remove('a', 2, sample)])
    t.equal(inMemory(), undefined)
    t.equal(await read(), undefined)
    await get(store, 'b')
    t.equal(store.inMemory('token', tenantA, digest('b')), undefined, 'no token')
    await mustCommit(store, [insert('a', sample)])
    await read()
    await store.clear()
    t.equal(inMemory(), undefined)
    t.equal(await read(), undefined)
  })

  test('after the commit the caller may reuse its bytes', async (t, store) => {
    const box = new Uint8Array([1, 2, 3])
    await mustCommit(store, [insert('a', { box })])
    box.fill(9)
    t.same([...((await get(store, 'a'))[0]?.box ?? [])], [1, 2, 3])
  })
}

export function testQueries(test: Define): void {
  const and = (...of: Query[]): Query => ({ op: 'and', of })
  const or = (...of: Query[]): Query => ({ op: 'or', of })
  const not = (of: Query): Query => ({ op: 'not', of })
  const all: Query = { op: 'all' }
  const none: Query = { op: 'none' }

  test('boolean queries over terms', async (t, store) => {
    await mustCommit(store, [
      insert('a', { terms: ['x'] }),
      insert('b', { terms: ['x', 'y'] }),
      insert('c', { terms: ['y', 'z'] }),
      insert('d'),
    ])
    const expected: [Query, string][] = [
      [all, 'dcba'],
      [none, ''],
      [term('x'), 'ba'],
      [term('nowhere'), ''],
      [and(term('x'), term('y')), 'b'],
      [or(term('x'), term('z')), 'cba'],
      [not(term('x')), 'dc'],
      [and(term('x'), not(term('y'))), 'a'],
      [not(or(term('x'), term('y'))), 'd'],
      [not(and(term('x'), term('y'))), 'dca'],
      [not(not(term('y'))), 'cb'],
      [and(), 'dcba'],
      [or(), ''],
      [not(all), ''],
      [not(none), 'dcba'],
      [and(all, term('z')), 'c'],
      [or(none, term('z')), 'c'],
      [and(term('x'), none), ''],
      [and(term('x'), not(term('x'))), ''],
      [or(term('x'), not(term('x'))), 'dcba'],
    ]
    for (const [query, ids] of expected) {
      const found = await find(store, query)
      t.same(idsOf(found.documents), [...ids].map(digest), JSON.stringify(query))
      t.equal(found.total, ids.length)
    }
  })

  test('ids, in the order of creation and each once', async (t, store) => {
    await mustCommit(store, [insert('a'), insert('b', { terms: ['x'] }), insert('c')])
    const ids = (...names: string[]): Query => ({ op: 'ids', ids: names.map(digest) })
    t.same(await foundIds(store, ids('a', 'c', 'a', 'nobody')), [digest('c'), digest('a')])
    t.same(await foundIds(store, ids()), [])
    t.same(await foundIds(store, not(ids('a', 'b'))), [digest('c')])
    t.same(await foundIds(store, and(ids('a', 'b'), term('x'))), [digest('b')])
    await mustCommit(store, [remove('c'), remove('a'), insert('a')])
    t.same(await foundIds(store, ids('a', 'b', 'c')), [digest('a'), digest('b')])
  })

  test('created ranges include both bounds', async (t, store) => {
    for (const [id, nowUs] of Object.entries({ a: 10, b: 20, c: 30, d: 40 }))
      await mustCommit(store, [insert(id)], nowUs)
    await mustCommit(store, [remove('c')])
    const created = (fromUs?: number, toUs?: number): Query => ({
      op: 'created',
      ...(fromUs === undefined ? {} : { fromUs }),
      ...(toUs === undefined ? {} : { toUs }),
    })
    const expected: [Query, string][] = [
      [created(), 'dba'],
      [created(10, 40), 'dba'],
      [created(11, 39), 'b'],
      [created(20), 'db'],
      [created(20.5), 'd'],
      [created(undefined, 20), 'ba'],
      [created(undefined, 19.5), 'a'],
      [created(30, 30), ''],
      [created(25, 35), ''],
      [created(40, 10), ''],
      [created(41), ''],
      [created(undefined, 9), ''],
      [created(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY), 'dba'],
      [created(-5, Number.MAX_SAFE_INTEGER), 'dba'],
      [created(undefined, -1), ''],
      [not(created(20)), 'a'],
    ]
    for (const [query, ids] of expected)
      t.same(await foundIds(store, query), [...ids].map(digest), JSON.stringify(query))
  })

  test('modified ranges find only replaced documents, by their last replacement', async (t, store) => {
    await mustCommit(store, [insert('a'), insert('b'), insert('c')], 10)
    await mustCommit(store, [replace('a', 1)], 20)
    await mustCommit(store, [replace('b', 1)], 30)
    await mustCommit(store, [replace('a', 2)], 40)
    const modified = (fromUs?: number, toUs?: number): Query => ({
      op: 'modified',
      ...(fromUs === undefined ? {} : { fromUs }),
      ...(toUs === undefined ? {} : { toUs }),
    })
    const expected: [Query, string][] = [
      [modified(), 'ba'],
      [modified(20, 20), ''],
      [modified(30, 30), 'b'],
      [modified(30, 40), 'ba'],
      [modified(31), 'a'],
      [modified(undefined, 39.5), 'b'],
      [modified(41), ''],
      [not(modified()), 'c'],
    ]
    for (const [query, ids] of expected)
      t.same(await foundIds(store, query), [...ids].map(digest), JSON.stringify(query))
    await mustCommit(store, [remove('a'), insert('a')], 50)
    t.same(await foundIds(store, modified()), [digest('b')])
  })
}

export function testPages(test: Define): void {
  const fill = (store: OpenEngine, count: number) =>
    mustCommit(
      store,
      Array.from({ length: count }, (_, id) => insert(id, { terms: id % 2 === 0 ? ['even'] : [] })),
      100,
    )
  const numbers = (...ids: number[]) => ids.map(digest)

  test('pages have one order, and each has the whole total', async (t, store) => {
    await fill(store, 10)
    t.same(await foundIds(store, term('even'), { offset: 0, limit: 2 }), numbers(8, 6))
    t.same(await foundIds(store, term('even'), { offset: 2, limit: 2 }), numbers(4, 2))
    t.same(await foundIds(store, term('even'), { offset: 4, limit: 2 }), numbers(0))
    const oldest = { oldestFirst: true } as object
    t.same(await foundIds(store, term('even'), { ...oldest, offset: 1, limit: 3 }), numbers(2, 4, 6))
    t.equal((await find(store, term('even'), { offset: 3, limit: 1 })).total, 5)
  })

  test('mostBytes limits the boxes that are read, not the page', async (t, store) => {
    const box = new Uint8Array(1000).fill(1)
    for (let n = 0; n < 20; n++) await mustCommit(store, [insert(n, { box, terms: n % 2 ? ['odd'] : [] })], n)
    for (const options of [{}, { oldestFirst: true }, { offset: 1, limit: 12 }, { afterUs: 15, limit: 12 }]) {
      for (const query of [{ op: 'all' } as const, term('odd')]) {
        const whole = await find(store, query, options)
        t.equal(whole.rest, undefined)
        for (const mostBytes of [0, 999, 1000, 2500, 1_000_000]) {
          const { total, documents, rest = [] } = await find(store, query, { ...options, mostBytes })
          t.equal(total, whole.total)
          t.same(documents, whole.documents.slice(0, documents.length), 'the beginning is read')
          const places = whole.documents.map(({ id, createdUs }) => ({ id, createdUs }))
          t.same(rest, places.slice(documents.length), 'the end is named')
          t.ok(documents.length >= Math.min(whole.documents.length, 1 + Math.floor(mostBytes / 1000)))
          t.ok(documents.length <= 4 + mostBytes / 1000, 'no more is read than an engine reads at a time')
        }
      }
    }
  })

  test('afterUs continues strictly after a stamp, even one of no document', async (t, store) => {
    await fill(store, 6)
    const after = (afterUs: number, options: object = {}) =>
      foundIds(store, { op: 'all' }, { limit: 2, afterUs, ...options } as object)
    t.same(await after(104), numbers(3, 2))
    t.same(await after(104, { offset: 1 }), numbers(2, 1))
    t.same(await after(101), numbers(0))
    t.same(await after(100), [])
    t.same(await after(99), [])
    t.same(await after(1e9), numbers(5, 4))
    t.same(await after(103.5), numbers(3, 2))
    t.same(await after(101, { oldestFirst: true }), numbers(2, 3))
    t.same(await after(101.5, { oldestFirst: true }), numbers(2, 3))
    t.same(await after(105, { oldestFirst: true }), [])
    t.same(await after(0, { oldestFirst: true }), numbers(0, 1))
    await mustCommit(store, [remove(4), remove(3)])
    t.same(await after(104), numbers(2, 1))
    t.same(await after(102, { oldestFirst: true }), numbers(5))
    t.equal((await find(store, { op: 'all' }, { afterUs: 100 } as object)).total, 4)
  })

  test('total and page are of the same state while documents change', async (t, store) => {
    await mustCommit(store, [insert('a', { terms: ['one'] }), insert('b')])
    let done = false
    const write = async () => {
      for (let version = 1; version <= 100; version++) {
        const [from, to] = version % 2 === 0 ? ['b', 'a'] : ['a', 'b']
        await mustCommit(store, [replace(from, version), replace(to, version, { terms: ['one'] })])
      }
      done = true
    }
    const wrong: unknown[] = []
    let searches = 0
    const search = async () => {
      while (!done) {
        const nobody: Query = { op: 'and', of: [term('one'), { op: 'not', of: term('one') }] }
        const [found, empty] = await Promise.all([find(store, term('one')), find(store, nobody)])
        const [document] = found.documents
        if (found.total !== 1 || !document?.terms.includes(digest('one'))) wrong.push(found)
        if (empty.total !== 0) wrong.push(empty)
        searches++
        // An engine may answer without ever leaving the turn; the writer needs one.
        await new Promise(setImmediate)
      }
    }
    await Promise.all([write(), search(), search()])
    t.same(wrong, [])
    t.ok(searches > 0)
  })
}
