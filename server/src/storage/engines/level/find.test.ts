import t from 'tap'
import {
  digest,
  everything,
  insert,
  mustCommit,
  remove,
  replace,
  tenantA,
  term,
} from '../../port/port.samples.ts'
import type { Digest, FindOptions, Query, Store, Write } from '../../port/port.ts'
import { MemoryStore } from '../memory/memory-store.ts'
import { encodeBlock } from './bitmap.ts'
import { findDocuments } from './find.ts'
import { blockKey, collectionKey, liveTerm, termPrefix } from './keys.ts'
import { LevelStore } from './level-store.ts'
import { type LevelDb, openLevelDb } from './leveldb.ts'
import { PublishedState } from './published-state.ts'

const count = 13_000

/** Puts the same documents into both engines: four blocks, one of them emptied, with holes and changes in others. */
async function fill(store: Store): Promise<void> {
  const make = (id: number): Write => {
    const terms = ['all', id % 2 === 0 ? 'even' : 'odd', ...(id % 1_000 === 0 ? ['rare'] : []), `own ${id}`]
    return insert(id, { terms, ...(id % 100 === 7 ? { dueMs: id } : {}) })
  }
  for (let from = 0; from < count; from += 1_000) {
    await mustCommit(
      store,
      Array.from({ length: 1_000 }, (_, index) => make(from + index)),
      from * 10 + 1,
    )
  }
  const changes: Write[] = []
  for (let id = 0; id < count; id++) {
    if (id >= 4_096 && id < 8_192) changes.push(remove(id))
    else if (id % 9 === 0) changes.push(remove(id))
    else if (id % 400 === 1) changes.push(replace(id, 1, { terms: ['all', 'changed'] }))
  }
  await mustCommit(store, changes, count * 100)
}

t.test('searches over many blocks find the same as the memory engine', async t => {
  const folder = t.testdir()
  const model = new MemoryStore()
  // Too small for all terms at once: they come and go.
  const filled = await LevelStore.open(folder, { cacheBytes: 4_000 })
  await Promise.all([fill(model), fill(filled)])
  await filled.close()
  const store = await LevelStore.open(folder, { cacheBytes: 4_000 })
  t.teardown(() => store.close())

  const and = (...of: Query[]): Query => ({ op: 'and', of })
  const queries: Query[] = [
    { op: 'all' },
    term('rare'),
    term('own 9001'),
    and(term('all'), term('odd')),
    and(term('even'), { op: 'not', of: term('rare') }),
    { op: 'not', of: term('even') },
    { op: 'or', of: [term('rare'), term('changed'), term('own 3')] },
    { op: 'created', fromUs: 40_000, toUs: 90_000 },
    and({ op: 'created', fromUs: 41_500 }, term('odd')),
    { op: 'created', fromUs: 50_000, toUs: 60_000 },
    { op: 'modified', fromUs: count * 100 + 5 },
    { op: 'not', of: { op: 'modified' } },
  ]
  const pages: FindOptions[] = [
    { nowMs: 0, offset: 0, limit: 10 },
    { nowMs: 9_000, offset: 0, limit: 10, oldestFirst: true },
    { nowMs: 9_000, offset: 4_000, limit: 50 },
    { nowMs: 0, offset: 3, limit: 5, afterUs: 80_010 },
    { nowMs: 0, offset: 3_000, limit: 5, afterUs: 120_010 },
    { nowMs: 20_000, offset: 0, limit: 5, afterUs: 30_500, oldestFirst: true },
    { nowMs: 20_000, offset: 3_000, limit: 5, afterUs: 30_500, oldestFirst: true },
    { nowMs: 0, offset: 0, limit: 5, afterUs: 50_000 },
  ]
  for (const query of queries) {
    for (const page of pages) {
      const [expected, found] = await Promise.all(
        [model, store].map(each => each.find('token', tenantA, query, page)),
      )
      t.equal(found?.total, expected?.total)
      t.same(
        found?.documents.map(document => document.id),
        expected?.documents.map(document => document.id),
        `${JSON.stringify(query)} ${JSON.stringify(page)}`,
      )
    }
  }
  const whole = await store.find('token', tenantA, { op: 'all' }, everything)
  t.equal(whole.documents.length, whole.total)
})

const collection = collectionKey('token', tenantA)
const counted = { nowMs: 0, offset: 0, limit: 0 }

/** Writes blocks of terms without documents. So many documents as some blocks hold would take ten seconds. */
async function putBlocks(
  level: LevelDb,
  blocks: Readonly<Record<Digest, readonly number[][]>>,
): Promise<void> {
  for (const [name, images] of Object.entries(blocks)) {
    for (const [block, image] of images.entries())
      await level.put(blockKey(termPrefix(collection, name as Digest), block), encodeBlock(image) as Buffer)
  }
}

t.test('a search through many blocks asks for turns in between', async t => {
  const folder = t.testdir()
  await (await LevelStore.open(folder)).close()
  const level = await openLevelDb(folder)
  await putBlocks(level, { [liveTerm]: Array(70).fill([1, 2]) })
  await level.close()
  const store = await LevelStore.open(folder)
  t.teardown(() => store.close())
  let asked = 0
  const passed = () => {
    asked++
    return undefined
  }
  t.match(await store.find('token', tenantA, { op: 'all' }, { ...counted, passed }), { total: 140 })
  t.equal(asked, 2)
  t.match(await store.find('token', tenantA, { op: 'all' }, counted), { total: 140 })
})

t.test('what is combined with a term of no document is not read, until there is one', async t => {
  const level = await openLevelDb(t.testdir())
  t.teardown(() => level.close())
  await putBlocks(level, { [liveTerm]: [[0]], [digest('x')]: [[0]], [digest('y')]: [[0]] })
  const state = new PublishedState(level, 1e6)
  const total = async (query: Query) => (await findDocuments(state, 'token', tenantA, query, counted)).total
  const isRead = (name: string) => state.terms.peek(collection, digest(name), 0) !== undefined
  const and = (...names: string[]): Query => ({ op: 'and', of: names.map(term) })
  t.equal(await total(and('none', 'x')), 0)
  t.ok(isRead('x'), 'it was not known that there is none')
  t.equal(await total(and('y', 'none')), 0)
  t.notOk(isRead('y'))
  t.equal(await total({ op: 'not', of: and('y', 'none') }), 1)
  t.notOk(isRead('y'))
  t.equal(await total({ op: 'or', of: [term('none'), term('y')] }), 1)
  t.ok(isRead('y'))

  // Each matches all documents at any moment: whichever have c have what it is combined with.
  let last = 0
  for (const part of [term('a'), { op: 'created' }] satisfies Query[]) {
    const [none, c] = [`none ${part.op}`, `c ${part.op}`]
    t.equal(await total(term(none)), 0)
    const terms = [digest(none), digest(c), ...(part.op === 'term' ? [part.term] : [])]
    const live = Array.from({ length: ++last + 1 }, (_, offset) => offset)
    await putBlocks(level, {
      [liveTerm]: [live],
      ...Object.fromEntries(terms.map(name => [name, [[last]]])),
    })
    const searching = total({
      op: 'or',
      of: [
        { op: 'and', of: [term(none), part] },
        { op: 'not', of: term(c) },
      ],
    })
    state.publish(
      [
        { collection, term: liveTerm, block: 0, image: live },
        ...terms.map(name => ({ collection, term: name, block: 0, image: [last] })),
      ],
      [],
    )
    t.equal(await searching, live.length, 'a document that is made while terms are read')
  }
})

t.test('a search that began before clear returns one of the two states', async t => {
  const store = await LevelStore.open(t.testdir())
  t.teardown(() => store.close())
  await mustCommit(
    store,
    Array.from({ length: 50 }, (_, id) => insert(id, { terms: ['x'] })),
  )
  const [before, , after] = await Promise.all([
    store.find('token', tenantA, term('x'), everything),
    store.clear(),
    store.find('token', tenantA, term('x'), everything),
  ])
  for (const { total, documents } of [before, after]) {
    t.ok(total === 0 || total === 50)
    t.equal(documents.length, total)
  }
  t.equal((await store.find('token', tenantA, term('x'), everything)).total, 0)
})
