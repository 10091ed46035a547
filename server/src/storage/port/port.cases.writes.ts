import {
  conflict,
  type Define,
  digest,
  expect,
  find,
  foundIds,
  get,
  insert,
  mustCommit,
  remove,
  replace,
  restore as restoreAs,
  tenantA,
  tenantB,
  term,
  versionOf,
} from './port.samples.ts'
import type { Write } from './port.ts'

/** Conditions, commits and stamps. Run by `runStoreCases`. */

export function testConditions(test: Define): void {
  test('insert refuses an address that is taken', async (t, store) => {
    await mustCommit(store, [insert('a')])
    t.same(await store.commit([insert('a')], 1), conflict(0, 'exists'))
  })

  test('later writes of the commit see a fresh insert like any other', async (t, store) => {
    const fresh = (id: string, unique = id) =>
      ({ ...insert(id, { terms: ['t'], uniques: [unique] }), fresh: true }) as Write
    await mustCommit(store, [fresh('a'), expect('a', 1)])
    t.same(await store.commit([fresh('b'), insert('b')], 1), conflict(1, 'exists'))
    t.same(await store.commit([insert('a')], 1), conflict(0, 'exists'))
    t.same(await store.commit([fresh('b', 'a')], 1), conflict(0, 'unique', 'a'))
    await mustCommit(store, [replace('a', 1, { terms: ['t'] }), fresh('b')])
    t.same(await foundIds(store, term('t')), ['b', 'a'].map(digest))
  })

  test('insert refuses a unique that another document holds, and names the holder', async (t, store) => {
    await mustCommit(store, [insert('a', { uniques: ['u', 'v'] })])
    t.same(await store.commit([insert('b', { uniques: ['w', 'v'] })], 1), conflict(0, 'unique', 'a'))
    t.same(await store.commit([insert('a', { uniques: ['v'] })], 1), conflict(0, 'exists'), 'that first')
    t.same(await get(store, 'b'), [undefined])
    await mustCommit(store, [insert('c', { uniques: ['w'] })])
  })

  test('replace requires exactly the given version', async (t, store) => {
    t.same(await store.commit([replace('a', 1)], 1), conflict(0, 'missing'))
    await mustCommit(store, [insert('a')])
    t.same(await store.commit([replace('a', 0)], 1), conflict(0, 'version'))
    t.same(await store.commit([replace('a', 2)], 1), conflict(0, 'version'))
    await mustCommit(store, [replace('a', 1)])
    t.same(await store.commit([replace('a', 1)], 1), conflict(0, 'version'))
    t.equal(await versionOf(store, 'a'), 2)
  })

  test('replace may keep its own uniques, and releases the others', async (t, store) => {
    await mustCommit(store, [insert('a', { uniques: ['u', 'v'] }), insert('b', { uniques: ['w'] })])
    t.same(await store.commit([replace('a', 1, { uniques: ['u', 'w'] })], 1), conflict(0, 'unique', 'b'))
    await mustCommit(store, [replace('a', 1, { uniques: ['u'] })])
    await mustCommit(store, [insert('c', { uniques: ['v'] })])
    t.same(await store.commit([insert('d', { uniques: ['u'] })], 1), conflict(0, 'unique', 'a'))
  })

  test('remove requires the document, and its version if one is given', async (t, store) => {
    t.same(await store.commit([remove('a')], 1), conflict(0, 'missing'))
    await mustCommit(store, [insert('a', { uniques: ['u'] }), insert('b')])
    t.same(await store.commit([remove('a', 2)], 1), conflict(0, 'version'))
    await mustCommit(store, [remove('a', 1), remove('b')])
    t.same(await get(store, 'a', 'b'), [undefined, undefined])
    t.same(await store.commit([remove('a')], 1), conflict(0, 'missing'))
    await mustCommit(store, [insert('c', { uniques: ['u'] })])
  })

  test('replace and remove of a document created then do not take a later one for it', async (t, store) => {
    const create = async () => {
      await mustCommit(store, [insert('a')])
      const [document] = await get(store, 'a')
      return { version: document?.version ?? 0, createdUs: document?.createdUs ?? 0 }
    }
    const first = await create()
    await mustCommit(store, [remove('a')])
    const second = await create()
    t.equal(second.version, first.version)
    for (const write of [replace('a', 1), remove('a', 1)])
      t.same(await store.commit([{ ...write, ...first } as Write], 1), conflict(0, 'version'))
    await mustCommit(store, [{ ...replace('a', 1), ...second } as Write])
    await mustCommit(store, [{ ...remove('a'), ...second, version: 2 } as Write])
  })

  test('a box is sealed with the version and the stamps that its document gets', async (t, store) => {
    const sealing = (write: Write): Write => ({
      ...(write as Extract<Write, { type: 'insert' }>),
      seal: ({ version, createdUs, modifiedUs }) =>
        new TextEncoder().encode(JSON.stringify([version, createdUs, modifiedUs ?? null])),
    })
    await mustCommit(store, [insert('first')], 1_000)
    await mustCommit(store, [sealing(insert('a')), sealing(insert('b')), sealing(replace('b', 1))], 1_000)
    await mustCommit(store, [sealing(replace('a', 1))], 10)
    await mustCommit(store, [sealing(restoreAs('c', { version: 7, createdUs: 5_000, modifiedUs: 6_000 }))])
    for (const document of await get(store, 'a', 'b', 'c')) {
      const { version, createdUs, modifiedUs, box = [] } = document ?? {}
      t.same(JSON.parse(Buffer.from(box).toString()), [version, createdUs, modifiedUs])
    }
    const found = await get(store, 'a', 'b')
    t.match(found, [
      { version: 2, createdUs: 1_001 },
      { version: 2, createdUs: 1_002 },
    ])
  })

  test('expect requires a version or absence, and changes nothing', async (t, store) => {
    t.same(await store.commit([expect('a', 1)], 1), conflict(0, 'missing'))
    t.same(await store.commit([expect('a', 0)], 1), { ok: true, written: [undefined] })
    await mustCommit(store, [insert('a')])
    t.same(await store.commit([expect('a', 0)], 1), conflict(0, 'exists'))
    t.same(await store.commit([expect('a', 2)], 1), conflict(0, 'version'))
    t.same(await store.commit([expect('a', 1)], 1), { ok: true, written: [undefined] })
    t.equal(await versionOf(store, 'a'), 1)
  })

  test('one of a hundred concurrent inserts of one id wins', async (t, store) => {
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => store.commit([insert('a', { terms: [index] })], 1)),
    )
    t.equal(results.filter(result => result.ok).length, 1)
    for (const result of results) if (!result.ok) t.same(result, conflict(0, 'exists'))
    const winner = results.findIndex(result => result.ok)
    t.same(await foundIds(store, term(winner)), [digest('a')])
    t.equal((await find(store, { op: 'all' })).total, 1)
  })

  test('versions read and expected by many at once never lose an increment', async (t, store) => {
    await mustCommit(store, [insert('a')])
    const increase = async (): Promise<void> => {
      const version = await versionOf(store, 'a')
      if (!(await store.commit([replace('a', version)], 1)).ok) await increase()
    }
    await Promise.all(Array.from({ length: 16 }, increase))
    t.equal(await versionOf(store, 'a'), 17)
  })
}

export function testCommits(test: Define): void {
  test('a commit applies all of its writes or none', async (t, store) => {
    await mustCommit(store, [insert('a', { uniques: ['u'], terms: ['x'], dueMs: 5 }), insert('b')])
    const before = await get(store, 'a', 'b', 'c')
    const result = await store.commit(
      [
        insert('c', { uniques: ['v'], terms: ['x'] }),
        replace('a', 1, { terms: ['y'] }),
        remove('b'),
        expect('d', 1),
        remove('missing too'),
      ],
      1,
    )
    t.same(result, conflict(3, 'missing'))
    t.same(await get(store, 'a', 'b', 'c'), before)
    t.same(await foundIds(store, term('x')), [digest('a')])
    t.same(await foundIds(store, term('y')), [])
    t.equal((await store.due('token', 5, 10)).length, 1)
    await mustCommit(store, [insert('e', { uniques: ['v'] })])
    t.same(await store.commit([insert('f', { uniques: ['u'] })], 1), conflict(0, 'unique', 'a'))
  })

  test('a failed commit does not affect concurrent commits', async (t, store) => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        store.commit(
          index % 3 === 0 ? [insert(index, { uniques: [index] }), remove('nobody')] : [insert(index)],
          1,
        ),
      ),
    )
    for (const [index, result] of results.entries()) t.equal(result.ok, index % 3 !== 0)
    t.equal((await find(store, { op: 'all' })).total, 40)
  })

  test('a condition sees the writes before it in the same commit', async (t, store) => {
    await mustCommit(store, [insert('a', { uniques: ['u'] })])
    const result = await store.commit(
      [
        remove('a'),
        insert('b', { uniques: ['u'] }),
        insert('a', { terms: ['new'] }),
        replace('a', 1, { terms: ['newer'] }),
        expect('a', 2),
        expect('c', 0),
      ],
      1,
    )
    t.equal(result.ok, true)
    t.equal(await versionOf(store, 'a'), 2)
    t.same(await foundIds(store, term('new')), [])
    t.same(await foundIds(store, term('newer')), [digest('a')])
    t.same(await store.commit([insert('d'), insert('d')], 1), conflict(1, 'exists'))
    const found = await store.commit([insert('d', { uniques: ['w'] }), insert('e', { uniques: ['w'] })], 1)
    t.same(found, conflict(1, 'unique', 'd'))
  })

  test('a commit may write to several kinds and tenants', async (t, store) => {
    const other = { kind: 'audit', tenant: tenantB } as const
    await mustCommit(store, [insert('a'), insert('a', other)])
    t.same(await store.commit([insert('b'), insert('a', other)], 1), conflict(1, 'exists'))
    t.same(await get(store, 'a', 'b').then(documents => documents.map(Boolean)), [true, false])
    t.equal((await store.get('audit', tenantB, [digest('a')])).filter(Boolean).length, 1)
  })

  test('find returns documents as they were written', async (t, store) => {
    const box = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    await mustCommit(store, [insert('a', { terms: ['x', 'y'], uniques: ['u'], dueMs: 7, box })], 12)
    const [document] = await get(store, 'a')
    t.same(
      { ...document, box: [...(document?.box ?? [])] },
      {
        id: digest('a'),
        kind: 'token',
        tenant: tenantA,
        terms: [digest('x'), digest('y')],
        uniques: [digest('u')],
        dueMs: 7,
        box: [...box],
        version: 1,
        createdUs: 12,
      },
    )
    await mustCommit(store, [replace('a', 1, { box: new Uint8Array() })], 15)
    const [after] = await get(store, 'a')
    t.same(
      { version: after?.version, createdUs: after?.createdUs, modifiedUs: after?.modifiedUs },
      { version: 2, createdUs: 12, modifiedUs: 15 },
    )
    t.same(
      { terms: after?.terms, uniques: after?.uniques, dueMs: after?.dueMs, length: after?.box.length },
      { terms: [], uniques: [], dueMs: undefined, length: 0 },
    )
  })

  test('five hundred terms can be searched, and removed by a replacement', async (t, store) => {
    const names = Array.from({ length: 500 }, (_, index) => `term ${index}`)
    await mustCommit(store, [insert('a', { terms: names }), insert('b', { terms: names.slice(0, 250) })])
    t.equal((await find(store, { op: 'and', of: names.map(term) })).total, 1)
    t.equal((await find(store, { op: 'and', of: names.slice(0, 250).map(term) })).total, 2)
    await mustCommit(store, [replace('a', 1, { terms: [] })])
    t.equal((await find(store, { op: 'or', of: names.map(term) })).total, 1)
    t.equal((await find(store, term('term 400'))).total, 0)
    t.equal((await find(store, { op: 'all' })).total, 2)
  })

  test('a time that is not a whole number is refused, without affecting others', async (t, store) => {
    const good = store.commit([insert('a')], 1)
    await t.rejects(store.commit([insert('b')], 1.5), RangeError)
    await t.rejects(store.commit([insert('b', { dueMs: Number.NaN })], 1), RangeError)
    await t.rejects(store.commit([insert('b', { dueMs: -1 })], 1), RangeError)
    t.equal((await good).ok, true)
    t.same(await get(store, 'b'), [undefined])
  })
}

export function testStamps(test: Define): void {
  test('versions count from 1, and a commit returns versions and stamps', async (t, store) => {
    t.same(await store.commit([insert('a'), replace('a', 1), expect('a', 2), remove('a')], 10), {
      ok: true,
      written: [
        { version: 1, createdUs: 10 },
        { version: 2, createdUs: 10, modifiedUs: 11 },
        undefined,
        undefined,
      ],
    })
    t.same(await store.commit([insert('a')], 5), { ok: true, written: [{ version: 1, createdUs: 12 }] })
  })

  test('stamps grow strictly within a collection, even when the clock goes back', async (t, store) => {
    const stamps: number[] = []
    for (const [index, nowUs] of [100, 100, 50, 200, 0, 200, 201].entries()) {
      const result = await mustCommit(store, [insert(index), insert(`${index} too`)], nowUs)
      if (result.ok) stamps.push(...result.written.map(written => written?.createdUs ?? 0))
    }
    t.same(stamps, [100, 101, 102, 103, 104, 105, 200, 201, 202, 203, 204, 205, 206, 207])
    const replaced = await mustCommit(store, [replace(0, 1)], 1)
    t.same(replaced, { ok: true, written: [{ version: 2, createdUs: 100, modifiedUs: 208 }] })
    const found = await store.commit([insert('b', { kind: 'audit' })], 1)
    t.same(found, { ok: true, written: [{ version: 1, createdUs: 1 }] })
  })
}
