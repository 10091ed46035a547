import {
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
  type Sample,
  tenantA,
  tenantB,
  term,
} from './port.samples.ts'

/** Due times, separation, leases, compact, clear and close. Run by `runStoreCases`. */

export function testDue(test: Define): void {
  test('a document is due exactly at its due time', async (t, store) => {
    await mustCommit(store, [
      insert('a', { dueMs: nowMs, terms: ['x'] }),
      insert('b', { dueMs: nowMs + 1, terms: ['x'] }),
      insert('c', { terms: ['x'] }),
    ])
    const names = async (at: number) => (await find(store, term('x'), { nowMs: at })).documents.map(d => d.id)
    t.same(await names(nowMs - 1), ['c', 'b', 'a'].map(digest))
    t.same(await names(nowMs), ['c', 'b'].map(digest))
    t.same(await names(nowMs + 1), ['c'].map(digest))
    t.same(await names(nowMs - 1), ['c', 'b', 'a'].map(digest), 'also when asked again for earlier')
    t.equal((await find(store, { op: 'all' }, { nowMs, limit: 0 })).total, 2)
    t.equal((await find(store, { op: 'not', of: { op: 'none' } }, { nowMs, limit: 0 })).total, 2)
    t.same(idsOf(await store.due('token', nowMs - 1, 10)), [])
    t.same(idsOf(await store.due('token', nowMs, 10)), [digest('a')])
    t.same(idsOf(await store.due('token', nowMs + 1, 10)), ['a', 'b'].map(digest))
  })

  test('due returns the earliest first, of one kind and all tenants, up to the limit', async (t, store) => {
    await mustCommit(store, [
      insert('a', { dueMs: 30 }),
      insert('b', { dueMs: 10, tenant: tenantB, box: new Uint8Array([7]) }),
      insert('c', { dueMs: 20 }),
      insert('d', { dueMs: 5, kind: 'nonce' }),
      insert('e'),
    ])
    const due = await store.due('token', 100, 10)
    t.same(idsOf(due), ['b', 'c', 'a'].map(digest))
    t.match(due[0], { tenant: tenantB, dueMs: 10, box: new Uint8Array([7]) })
    t.same(idsOf(await store.due('token', 100, 2)), ['b', 'c'].map(digest))
    t.same(await store.due('token', 100, 0), [])
    t.same(idsOf(await store.due('nonce', 100, 5)), [digest('d')])
  })

  test('due follows replacements and removals', async (t, store) => {
    await mustCommit(store, [insert('a', { dueMs: 10 }), insert('b', { dueMs: 10 }), insert('c')])
    t.equal((await find(store, { op: 'all' }, { nowMs: 10 })).total, 1)
    await mustCommit(store, [replace('a', 1, { dueMs: 50 }), replace('c', 1, { dueMs: 5 }), remove('b')])
    t.same(idsOf(await store.due('token', 10, 10)), [digest('c')])
    t.same(await foundIds(store, { op: 'all' }, { nowMs: 10 }), [digest('a')])
    await mustCommit(store, [replace('c', 2)])
    t.same(idsOf(await store.due('token', 100, 10)), [digest('a')])
    t.same(await foundIds(store, { op: 'all' }, { nowMs: 10 }), [digest('c'), digest('a')])
  })
}

export function testSeparation(test: Define): void {
  test('tenants and kinds are separate', async (t, store) => {
    const places = [
      {},
      { tenant: tenantB },
      { kind: 'audit' },
      { kind: 'audit', tenant: tenantB },
    ] as Sample[]
    for (const [index, sample] of places.entries()) {
      await mustCommit(
        store,
        [insert('a', { ...sample, terms: ['x'], uniques: ['u'], dueMs: 10 + index })],
        9,
      )
    }
    for (const [index, sample] of places.entries()) {
      const found = await find(store, term('x'), {}, sample)
      t.equal(found.total, 1)
      t.match(found.documents[0], { kind: sample.kind ?? 'token', tenant: sample.tenant ?? tenantA })
      t.equal(found.documents[0]?.dueMs, 10 + index)
      t.equal(found.documents[0]?.createdUs, 9)
    }
    await mustCommit(store, [remove('a')])
    t.equal((await find(store, term('x'), {}, { tenant: tenantB })).total, 1)
    t.same(idsOf(await store.due('token', 100, 10)), [digest('a')])
  })
}

export function testUpkeep(test: Define): void {
  const lease = { name: 'sweep', holder: 'one', nowMs, untilMs: nowMs + 100 }

  test('a lease has one holder until it ends', async (t, store) => {
    t.equal(await store.lease(lease), true)
    t.equal(await store.lease({ ...lease, holder: 'two' }), false)
    t.equal(await store.lease({ ...lease, holder: 'two', name: 'another' }), true)
    t.equal(await store.lease({ ...lease, untilMs: nowMs + 200 }), true, 'its holder prolongs it')
    t.equal(await store.lease({ ...lease, holder: 'two', nowMs: nowMs + 199 }), false)
    t.equal(await store.lease({ ...lease, holder: 'two', nowMs: nowMs + 200, untilMs: nowMs + 300 }), true)
    t.equal(await store.lease({ ...lease, nowMs: nowMs + 250 }), false)
    const released = { ...lease, holder: 'two', nowMs: nowMs + 250, untilMs: nowMs + 250 }
    t.equal(await store.lease(released), true, 'its holder ends it')
    t.equal(await store.lease({ ...lease, nowMs: nowMs + 250 }), true)
  })

  test('one of many concurrent holders gets a lease', async (t, store) => {
    const asked = Array.from({ length: 20 }, (_, holder) => store.lease({ ...lease, holder: String(holder) }))
    t.equal((await Promise.all(asked)).filter(Boolean).length, 1)
  })

  test('compact changes no result', async (t, store) => {
    await mustCommit(store, [insert('a', { terms: ['x'] }), insert('b', { terms: ['x'] }), insert('c')])
    await mustCommit(store, [remove('b'), replace('c', 1, { terms: ['x'] })])
    const before = { got: await get(store, 'a', 'b', 'c'), found: await find(store, term('x')) }
    await store.compact()
    await store.compact()
    t.same({ got: await get(store, 'a', 'b', 'c'), found: await find(store, term('x')) }, before)
    await mustCommit(store, [remove('a'), insert('b', { terms: ['x'] })])
    await Promise.all([
      store.compact(),
      mustCommit(store, [insert('d')]),
      find(store, term('x')),
      store.compact(),
    ])
    t.same(await foundIds(store, term('x')), ['b', 'c'].map(digest))
  })

  test('clear removes everything, and the same documents can be inserted again', async (t, store) => {
    const write = insert('a', { terms: ['x'], uniques: ['u'], dueMs: nowMs })
    await mustCommit(store, [write, insert('b', { kind: 'audit', tenant: tenantB })], 50)
    await find(store, term('x'))
    await store.lease(lease)
    await store.clear()
    t.same(await get(store, 'a'), [undefined])
    t.equal((await find(store, term('x'))).total, 0)
    t.equal((await find(store, { op: 'all' }, {}, { kind: 'audit', tenant: tenantB })).total, 0)
    t.same(await store.due('token', nowMs, 10), [])
    t.equal(await store.lease({ ...lease, holder: 'two' }), true)
    t.same(await store.commit([write], 5), { ok: true, written: [{ version: 1, createdUs: 5 }] })
    t.same(await foundIds(store, term('x')), [digest('a')])
    await store.clear()
    await mustCommit(store, [insert('z', { terms: ['x'] })])
    t.same(await foundIds(store, term('x')), [digest('z')], 'another one in the first place')
  })

  test('a store is cleared while others write', async (t, store) => {
    for (let round = 0; round < 20; round++) {
      const writes = [tenantA, tenantB].flatMap(tenant =>
        Array.from({ length: 5 }, (_, n) =>
          store.commit([insert(`${round}-${n}`, { tenant, terms: ['x'] })], 1),
        ),
      )
      await Promise.all([...writes, store.clear()])
    }
    await store.clear()
    t.equal((await find(store, { op: 'all' })).total, 0)
    await mustCommit(store, [insert('a')])
    t.same(await foundIds(store, { op: 'all' }), [digest('a')], 'and works afterwards')
  })

  test('a working store is healthy, and closing waits for work in progress', async (t, store) => {
    t.equal(store.unhealthy(), undefined)
    const commits = Array.from({ length: 20 }, (_, id) => store.commit([insert(id)], 1))
    await store.close()
    for (const result of await Promise.all(commits)) t.equal(result.ok, true)
    await store.close()
  })
}
