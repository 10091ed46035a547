// In a process of its own: it takes long.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import {
  digest,
  everything,
  insert,
  mustCommit,
  remove,
  replace,
  tenantA,
  tenantB,
  term,
} from '../../../port/port.samples.ts'
import { LevelStore } from '../level-store.ts'
import type { LevelDb } from '../leveldb.ts'
import { openLevelDb } from '../leveldb.ts'
import { decodeCounters, encodeCounters } from '../record.ts'
import { type ContentOf, countFaults, type Findings } from './findings.ts'
import { reindex } from './reindex.ts'

const asStored: ContentOf = async () => undefined

/** A folder with two collections after changes of every kind, one of them of so many documents. */
async function fill(folder: string, count = 600): Promise<void> {
  const store = await LevelStore.open(folder)
  for (let from = 0; from < count; from += 300) {
    const writes = Array.from({ length: 300 }, (_, index) => {
      const id = from + index
      return insert(id, {
        terms: ['all', `mod ${id % 3}`, ...(id % 40 === 0 ? [`own ${id}`] : [])],
        uniques: id % 40 === 0 ? [`only ${id}`] : [],
        ...(id % 70 === 0 ? { dueMs: 1_000 + id } : {}),
      })
    })
    await mustCommit(store, writes, from)
  }
  for (let id = 0; id < count; id += 100) {
    await mustCommit(store, [replace(id + 1, 1, { terms: ['all', 'changed'], dueMs: 77 })])
    await mustCommit(store, [remove(id + 2)])
  }
  await mustCommit(store, [insert('other', { tenant: tenantB, kind: 'audit', terms: ['all'] })])
  await store.close()
}

/** Every key and its value. Printed for a difference it would be of no help. */
async function contents(level: LevelDb): Promise<string> {
  const entries = await level.iterator().all()
  return entries.map(([key, value]) => `${key} ${value.toString('base64')}`).join('\n')
}

async function withLevel<Result>(folder: string, work: (level: LevelDb) => Promise<Result>): Promise<Result> {
  const level = await openLevelDb(folder)
  try {
    return await work(level)
  } finally {
    await level.close()
  }
}

const verify = (level: LevelDb, repair = false) => reindex(level, { repair, contentOf: asStored })

/** A dry run finds it and changes nothing; a repair makes the folder what it was. */
async function heals(
  t: Test,
  level: LevelDb,
  damage: (level: LevelDb) => Promise<unknown>,
): Promise<Findings> {
  const before = await contents(level)
  await damage(level)
  const damaged = await contents(level)
  t.ok(damaged !== before, 'the control: there is damage')
  const found = await verify(level)
  t.ok(countFaults(found) > 0, 'a dry run finds it')
  t.ok((await contents(level)) === damaged, 'and leaves it')
  t.ok(countFaults(await verify(level, true)) > 0)
  t.ok((await contents(level)) === before, 'a repair makes the folder what it was')
  t.equal(countFaults(await verify(level)), 0)
  return found
}

const keysWith = async (level: LevelDb, letter: string) =>
  (await level.keys({ gte: 'o', lt: 'p' }).all()).filter(key => key[23] === letter)

t.test('an index of two blocks is correct', async t => {
  const folder = t.testdir()
  await fill(folder, 4200)
  await withLevel(folder, async level => {
    const found = await verify(level)
    t.equal(countFaults(found), 0)
    t.equal(found.documents, 4200 - 42 + 1)
    // Places and times of creation, uniques, counters, dues twice, modifications, and the blocks of all terms.
    t.ok(found.entries > 2 * 4159 + 4 * 100, `${found.entries} entries`)
    t.same(
      (await keysWith(level, 'b')).filter(key => key[24] === '*').map(key => key.slice(-1)),
      ['0', '1'],
    )
  })
})

t.test('a counter that is behind its documents is found, for each of its numbers', async t => {
  const folder = t.testdir()
  await fill(folder)
  await withLevel(folder, async level => {
    const [key = ''] = await keysWith(level, 'n')
    const counters = decodeCounters((await level.get(key)) as Buffer)
    for (const name of ['nextOrdinal', 'lastUs', 'lastCreatedUs'] as const) {
      await heals(t, level, () => level.put(key, encodeCounters({ ...counters, [name]: 1 })))
    }
  })
})

t.test('each sort of entry is restored, and removed where it belongs to no document', async t => {
  const folder = t.testdir()
  await fill(folder)
  await withLevel(folder, async level => {
    const [document = ''] = await keysWith(level, 'd')
    const at = (ordinal: number) => ordinal.toString(36).padStart(7, '0')
    for (const letter of ['o', 'c', 'b', 'm', 'e', 'u', 'n']) {
      await t.test(`${letter}: gone`, async t => {
        const found = await heals(t, level, async () => {
          const keys = await keysWith(level, letter)
          for (const key of [keys[0], keys[Math.floor(keys.length / 2)], keys.at(-1)])
            await level.del(key ?? '')
        })
        t.ok(found.missing > 0)
      })
    }
    await t.test('all keys but documents lost', async t => {
      await heals(t, level, async () => {
        for (const letter of ['o', 'c', 'b', 'm', 'e', 'u']) {
          for (const key of await keysWith(level, letter)) await level.del(key)
        }
        await level.clear({ gte: '!due', lt: '!due\x7f' })
      })
    })
    await t.test('another value', async t => {
      const found = await heals(t, level, async () => {
        const blocks = await keysWith(level, 'b')
        const uniques = await keysWith(level, 'u')
        await level.put(blocks[5] ?? '', Buffer.from([0, 9, 0]))
        await level.put(uniques[5] ?? '', Buffer.from(digest(77), 'latin1'))
      })
      t.ok(found.different >= 2)
    })
    const collection = document.slice(0, 23)
    const strays: Readonly<Record<string, (level: LevelDb) => Promise<unknown>>> = {
      'a term nobody has': level =>
        level.put(`${collection}b${digest('nobody has this')}00000`, Buffer.from([0, 3, 0])),
      'a unique nobody has': level =>
        level.put(`${collection}u${digest('nobody has this')}`, Buffer.from(digest(3), 'latin1')),
      'a unique of nobody': level =>
        level.put(`${collection}u${digest('nobody has this')}`, Buffer.from(digest('nobody'), 'latin1')),
      'a place of nobody': level =>
        level.put(
          `${collection}o${at(4100 * 2)}`,
          Buffer.concat([Buffer.from(digest('nobody'), 'latin1'), Buffer.alloc(8)]),
        ),
      'a creation of nobody': level => level.put(`${collection}c0000000000a${at(3)}`, Buffer.alloc(0)),
      'a due time of nobody': level => level.put(`${collection}e0000000000a${at(3)}`, Buffer.alloc(0)),
      'a modification of nobody': level => level.put(`${collection}m0000000000a${at(3)}`, Buffer.alloc(0)),
      'an agenda entry of nobody': level =>
        level.put(`!dueo0000000000a${collection.slice(1)}${at(3)}`, Buffer.from(digest(3), 'latin1')),
      'a block of nobody': level => level.put(`${collection}b*00009`, Buffer.from([0, 3, 0])),
    }
    for (const [name, damage] of Object.entries(strays)) {
      await t.test(name, async t => {
        const found = await heals(t, level, damage)
        t.ok(found.stray > 0)
      })
    }
  })
})

t.test(
  'a document that says something else than its record is put right, and its entries with it',
  async t => {
    const folder = t.testdir()
    const store = await LevelStore.open(folder)
    await mustCommit(store, [
      insert('old', { terms: ['before'], uniques: ['u'], dueMs: 5 }),
      insert('fine', { terms: ['after'] }),
    ])
    const contentOf: ContentOf = async ({ id }) =>
      id === digest('old') ? { terms: [digest('after')], uniques: [digest('v')] } : undefined
    const dry = await store.reindex({ repair: false, contentOf })
    t.match(dry, { outdated: 1 })
    t.equal((await store.find('token', tenantA, term('before'), everything)).total, 1, 'nothing was written')
    await store.reindex({ repair: true, contentOf })
    t.equal(countFaults(await store.reindex({ repair: false, contentOf })), 0)
    t.equal((await store.find('token', tenantA, term('before'), everything)).total, 0)
    const { documents } = await store.find('token', tenantA, term('after'), everything)
    t.same(
      documents.map(document => document.id),
      [digest('fine'), digest('old')],
    )
    t.match(
      documents[1],
      { version: 1, createdUs: 1, box: new TextEncoder().encode('box of old') },
      'the same version',
    )
    t.same(await store.due('token', 100, 10), [])
    await mustCommit(store, [insert('new', { uniques: ['u'] })])
    t.match(await store.commit([insert('newer', { uniques: ['v'] })], 1), { ok: false })
    await store.close()
  },
)

t.test('a document that was cut off keeps its place', async t => {
  const folder = t.testdir()
  await fill(folder)
  await withLevel(folder, async level => {
    const [key = ''] = await keysWith(level, 'd')
    await level.put(key, Buffer.from('cut'))
    const before = await contents(level)
    const found = await verify(level)
    t.match(found, { cutOff: 1 })
    t.equal(countFaults(found), 0)
    await verify(level, true)
    t.ok((await contents(level)) === before)
    // Other faults are still corrected.
    const live = `${key.slice(0, 23)}b*00000`
    const image = await level.get(live)
    await level.put(live, Buffer.from([0, 1, 0]))
    t.equal((await verify(level, true)).different, 1)
    t.not((await level.get(live))?.length, 3)
    t.ok((image?.length ?? 0) >= ((await level.get(live))?.length ?? 0), 'but for the bit of the one cut off')
  })
})

t.test('two documents with one ordinal are reported, and neither is changed', async t => {
  const folder = t.testdir()
  await fill(folder)
  await withLevel(folder, async level => {
    const [some = '', other = ''] = await keysWith(level, 'd')
    const value = Buffer.from((await level.get(other)) ?? [])
    value.writeDoubleBE((await level.get(some))?.readDoubleBE(9) ?? 0, 9)
    await level.put(other, value)
    t.equal((await verify(level)).displaced, 1)
    await verify(level, true)
    t.same(await level.get(other), value)
  })
})

t.test('whatever keys are lost, the index is restored from the documents', async t => {
  const folder = t.testdir()
  const store = await LevelStore.open(folder)
  for (let id = 0; id < 60; id++) {
    await mustCommit(store, [insert(id, { terms: ['all', id % 5], uniques: [`u ${id}`], dueMs: id % 4 })], id)
    if (id % 3 === 0) await mustCommit(store, [replace(id, 1, { terms: [id % 4] })], id)
    if (id % 8 === 0) await mustCommit(store, [remove(id)])
  }
  await store.close()
  await withLevel(folder, async level => {
    const before = await contents(level)
    const keys = (await level.keys().all()).filter(
      key => !/^!(format|garbage)/.test(key) && !/^.{23}[dn]/.test(key),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1, maxLength: 30 }),
        async lost => {
          for (const key of lost) await level.del(key)
          if (countFaults(await verify(level)) === 0) throw new Error('nothing was found')
          await verify(level, true)
          if ((await contents(level)) !== before) throw new Error('the index is not what it was')
        },
      ),
      { numRuns: 40 },
    )
  })
})
