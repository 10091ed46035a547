import { deepStrictEqual } from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import fc from 'fast-check'
import type { Pool } from 'pg'
import type { Test } from 'tap'
import t from 'tap'
import { newSchema, withPostgres } from '../../../../../verify/support/postgres.ts'
import { createLog } from '../../../../base/log.ts'
import {
  digest,
  everything,
  insert,
  mustCommit,
  remove,
  replace,
  tenantA,
  term,
} from '../../../port/port.samples.ts'
import { type Query, uuidOfDigest, type Write } from '../../../port/port.ts'
import { MemoryStore } from '../../memory/memory-store.ts'
import { openPool } from '../connect.ts'
import { PostgresStore } from '../postgres-store.ts'
import { queriesOf } from '../queries.samples.ts'
import type { FoldLimits } from './fold-limits.ts'
import { Folder } from './folder.ts'

const limits: FoldLimits = {
  blockDocuments: 5,
  leastDocuments: 10,
  commonFrom: 3,
  mostTerms: 4,
  leastTotal: 0,
  againAfterMs: 0,
  quietMs: 0,
  rememberMs: 0,
}
/** Uses blocks, and leaves folding to the test. */
const onlyUse: FoldLimits = { ...limits, leastDocuments: Number.POSITIVE_INFINITY }
const collection = { tenant: tenantA, kind: 4 }

async function openFolded(t: Test) {
  const schema = newSchema(t)
  await schema.create()
  const store = await PostgresStore.open(schema.url, { migrate: true, folding: onlyUse })
  const { pool } = openPool(schema.url, () => {})
  t.teardown(async () => {
    await store.close()
    await pool.end()
  })
  return { store, pool, folder: new Folder(pool, limits, error => t.error(error)) }
}

const documents = 24
const leaf: fc.Arbitrary<Query> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(6).map(term) },
  { weight: 1, arbitrary: fc.constantFrom<Query>({ op: 'all' }, { op: 'none' }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.nat(documents), { maxLength: 4 })
      .map((ids): Query => ({ op: 'ids', ids: ids.map(digest) })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record(
        { fromUs: fc.integer({ min: -5, max: 900 }), toUs: fc.integer({ min: -5, max: 900 }) },
        { requiredKeys: [] },
      )
      .chain(range => fc.constantFrom<Query>({ op: 'created', ...range }, { op: 'modified', ...range })),
  },
)
const query = queriesOf(leaf)

/** A document is inserted, replaced or removed; or the collection is folded, as far as the number says. */
const step = fc.record({
  action: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('insert', 'replace', 'remove', 'fold', 'fold') },
    { weight: 1, arbitrary: fc.constantFrom('insert', 'lose') },
  ),
  id: fc.nat(documents),
  // The first three are common; the last ones become so now and then.
  terms: fc.uniqueArray(fc.oneof(fc.nat(2), fc.nat(6)), { maxLength: 4 }),
  dueMs: fc.option(fc.nat(40), { freq: 4, nil: undefined }),
  queries: fc.array(fc.tuple(query, fc.nat(40)), { maxLength: 4 }),
})

t.test(
  'totals of blocks are those of the memory engine, whatever happens in between',
  withPostgres,
  async t => {
    const { store, pool, folder } = await openFolded(t)
    const ways = { kept: 0, blocks: 0, rows: 0 }
    let nowUs = 0
    const history = fc.array(step, { minLength: 30, maxLength: 90, size: 'max' })
    const property = fc.asyncProperty(history, async steps => {
      const model = new MemoryStore()
      await store.clear()
      nowUs = 0
      for (const { action, id, terms, dueMs, queries } of steps) {
        nowUs += 10
        const sample = { terms, ...(dueMs === undefined ? {} : { dueMs }) }
        const [present] = await model.get('token', tenantA, [digest(id)])
        const writes: Write[] = []
        if (action === 'insert') {
          // Several, so that blocks fill.
          for (let n = 0; n < 3; n++) writes.push(insert(`${id} ${nowUs} ${n}`, sample))
          if (!present) writes.push(insert(id, sample))
        } else if (action === 'replace' && present) writes.push(replace(id, present.version, sample))
        else if (action === 'remove' && present) writes.push(remove(id))
        else if (action === 'fold') await folder.fold(collection)
        else if (action === 'lose') await pool.query('UPDATE collections SET known_documents = -1')
        for (const one of [store, model]) await mustCommit(one, writes, nowUs)
        for (const [asked, nowMs] of queries) {
          for (const page of [
            { nowMs, offset: 0, limit: 0, explain: true },
            { nowMs, offset: 1, limit: 2, explain: true },
          ]) {
            const found = await store.find('token', tenantA, asked, page)
            if (found.counting) ways[found.counting]++
            deepStrictEqual(found.total, (await model.find('token', tenantA, asked, page)).total)
          }
        }
      }
    })
    await t.resolves(fc.assert(property, { numRuns: Number(process.env.SURROGATE_FOLD_RUNS ?? 4) }))
    t.comment(JSON.stringify(ways))
    t.ok(ways.blocks > 50, 'blocks were used')
  },
)

const counting = async (store: PostgresStore, asked: Query) => {
  const { total, counting } = await store.find('token', tenantA, asked, {
    ...everything,
    limit: 0,
    explain: true,
  })
  return [total, counting]
}

async function fill(store: PostgresStore, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) {
    await mustCommit(store, [insert(n, { terms: ['all', n % 2 ? 'odd' : 'even'] })], n * 10)
  }
}

const rowsOf = async (pool: Pool, table: string) =>
  Number((await pool.query(`SELECT count(*) FROM ${table}`)).rows[0]?.count)

t.test('a total is read from blocks, and not if they may be wrong', withPostgres, async t => {
  const { store, pool, folder } = await openFolded(t)
  await fill(store, 22)
  t.same(await counting(store, term('odd')), [11, 'rows'])
  await folder.fold(collection)
  t.same(await counting(store, term('odd')), [11, 'blocks'])
  t.same([await rowsOf(pool, 'blocks'), await rowsOf(pool, 'term_blocks')], [4, 12])
  // Only a total that is read from them changes with them.
  await pool.query('UPDATE term_blocks SET bits = 0::bit(8192) WHERE block = 0 AND term = $1', [
    uuidOfDigest(digest('odd')),
  ])
  t.same(await counting(store, term('odd')), [9, 'blocks'])
  await pool.query('UPDATE collections SET known_documents = known_documents + 1')
  t.same(await counting(store, term('odd')), [11, 'rows'])
  await folder.fold(collection)
  t.same(await counting(store, term('odd')), [11, 'blocks'], 'they are made anew')
})

/** The statements with which a server of the version before removes, replaces and inserts documents. */
const older = {
  change: 'UPDATE collections SET last_us = $1, last_created_us = $2, documents = documents + $3::bigint',
  remove: 'DELETE FROM documents WHERE id = $1',
  insert: `INSERT INTO documents VALUES ($1, 4, $2, 1, $3, $4, NULL, $5, '{}', '')`,
}

t.test('a server that knows no blocks may write beside this one', withPostgres, async t => {
  const { store, pool, folder } = await openFolded(t)
  const [id, other, all, odd] = [3, 'other', 'all', 'odd'].map(name => uuidOfDigest(digest(name)))
  const writes: Record<string, () => Promise<unknown>> = {
    'a removal': async () => {
      await pool.query(older.remove, [id])
      await pool.query(older.change, [210, 210, -1])
    },
    'a replacement': async () => {
      await pool.query(older.remove, [id])
      await pool.query(older.insert, [tenantA, id, 30, 211, [all]])
      await pool.query(older.change, [211, 210, 0])
    },
    'a removal and an insert': async () => {
      await pool.query(older.remove, [id])
      await pool.query(older.insert, [tenantA, other, 212, null, [all]])
      await pool.query(older.change, [212, 212, 0])
    },
    'a removal, and the restoring of a document that is not the last to be changed': async () => {
      await pool.query('UPDATE collections SET last_us = 500, known_stamps = 500 + last_created_us')
      await pool.query(older.remove, [id])
      await pool.query(older.insert, [tenantA, other, 300, null, [all, odd]])
      await pool.query(older.change, [500, 300, 0])
    },
  }
  for (const [name, write] of Object.entries(writes)) {
    await store.clear()
    await fill(store, 22)
    await folder.fold(collection)
    t.same(await counting(store, term('odd')), [11, 'blocks'], name)
    await write()
    const [byRows] = (await pool.query('SELECT count(*)::int FROM documents WHERE $1 = ANY(terms)', [odd]))
      .rows
    t.same(await counting(store, term('odd')), [byRows?.count, 'rows'], name)
    // Its commits do not become right by those of a server with blocks.
    await mustCommit(store, [insert('new', { terms: ['odd'] })], 1000)
    t.same(await counting(store, term('odd')), [byRows?.count + 1, 'rows'], name)
    await folder.fold(collection)
    t.same(await counting(store, term('odd')), [byRows?.count + 1, 'blocks'], name)
  }
})

t.test('what is left of removed documents goes away', withPostgres, async t => {
  const { store, pool, folder } = await openFolded(t)
  const left = async () =>
    Promise.all(
      ['blocks', 'term_blocks', 'folded_terms', 'stale_documents'].map(table => rowsOf(pool, table)),
    )
  await fill(store, 40)
  await folder.fold(collection)
  t.same(await left(), [8, 24, 3, 0])
  await mustCommit(
    store,
    Array.from({ length: 30 }, (_, n) => remove(n)),
    1000,
  )
  t.same(await counting(store, term('odd')), [5, 'blocks'])
  t.same(await left(), [8, 24, 3, 30])
  await folder.foldStale()
  t.same(await left(), [2, 6, 3, 0], 'blocks with few documents are made one')
  t.same(await counting(store, term('odd')), [5, 'blocks'])
  await mustCommit(
    store,
    Array.from({ length: 6 }, (_, n) => remove(30 + n)),
    1010,
  )
  await folder.foldStale()
  t.same(await left(), [0, 0, 0, 0], 'a small collection has none')
  t.same(await counting(store, term('odd')), [2, 'rows'])
})

t.test('a term that becomes common is found in the blocks before', withPostgres, async t => {
  const { store, folder } = await openFolded(t)
  await fill(store, 10)
  await mustCommit(store, [replace(1, 1, { terms: ['late'] }), replace(2, 1, { terms: ['all'] })], 200)
  await folder.fold(collection)
  // As the blocks have it, the first has the term and the second has not.
  await mustCommit(store, [replace(1, 2, { terms: ['all'] }), replace(2, 2, { terms: ['late'] })], 210)
  t.same(await counting(store, { op: 'or', of: [term('late'), term('odd')] }), [5, 'blocks'])
  for (let n = 0; n < 5; n++) await mustCommit(store, [insert(`late ${n}`, { terms: ['late'] })], 300 + n)
  await folder.fold(collection)
  t.same(await counting(store, term('late')), [6, 'blocks'])
})

t.test('several processes fold at the same time, while documents are written', withPostgres, async t => {
  const { store, pool, folder } = await openFolded(t)
  const folders = [
    folder,
    new Folder(pool, limits, error => t.error(error)),
    new Folder(pool, limits, error => t.error(error)),
  ]
  await fill(store, 12)
  let isWriting = true
  const folding = folders.map(async one => {
    while (isWriting) await one.fold(collection)
  })
  await fill(store, 60, 12)
  for (let n = 0; n < 72; n += 3)
    await mustCommit(store, [n % 2 ? remove(n) : replace(n, 1, { terms: ['odd'] })], 2000 + n)
  isWriting = false
  await Promise.all(folding)
  await folder.fold(collection)
  t.same(await counting(store, term('odd')), [36, 'blocks'])
  t.same(await rowsOf(pool, 'stale_documents'), 0)
})

/** The pool. Its connections are cut after the given number of statements. */
function cutAfter(pool: Pool, statements: number): Pool {
  let left = statements
  const connect = async () => {
    const client = await pool.connect()
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const cut = (...given: unknown[]) => {
      if (left-- === 0) (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy()
      return query(...given)
    }
    return new Proxy(client, { get: (of, name) => (name === 'query' ? cut : Reflect.get(of, name)) })
  }
  return { connect } as unknown as Pool
}

t.test('a process that is killed while it folds leaves nothing half done', withPostgres, async t => {
  const { store, pool, folder } = await openFolded(t)
  await fill(store, 12)
  await folder.fold(collection)
  await fill(store, 6, 12)
  await mustCommit(store, [replace(1, 1, { terms: ['all'] }), remove(3)], 500)
  const expected = [7, 'blocks']
  let cuts = 0
  for (let isCut = true; isCut; ) {
    const dying = new Folder(cutAfter(pool, cuts), limits, () => {})
    isCut = await dying.fold(collection).then(
      () => false,
      () => true,
    )
    if (isCut) cuts++
    t.same(await counting(store, term('odd')), expected, `cut after ${cuts} statements`)
  }
  t.ok(cuts > 10, 'it was killed in each step')
  t.same(await rowsOf(pool, 'stale_documents'), 0)
})

t.test('the first failure to fold a collection is told from those that follow it', withPostgres, async t => {
  const { store, pool } = await openFolded(t)
  await fill(store, 12)
  let onFailure = (_isFirst: boolean) => {}
  const folder = new Folder(pool, limits, (_error, failing, isFirst) => {
    t.same(failing, collection)
    onFailure(isFirst)
  })
  const attempt = () =>
    new Promise<boolean>(resolve => {
      onFailure = resolve
      folder.hint(collection)
    })
  const [breakIt, mendIt] = [
    'ALTER TABLE term_blocks RENAME TO away',
    'ALTER TABLE away RENAME TO term_blocks',
  ]
  await pool.query(breakIt)
  t.same([await attempt(), await attempt(), await attempt()], [true, false, false])
  await pool.query(mendIt)
  await folder.fold(collection)
  await fill(store, 12, 12)
  await pool.query(breakIt)
  t.same([await attempt(), await attempt()], [true, false], 'a success ends the streak')
  await folder.stop()
})

t.test('a failure to fold is logged once, without data', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  const lines: string[] = []
  let onLine = () => {}
  const log = createLog(line => {
    lines.push(line)
    onLine()
  })
  const logged = new Promise<void>(resolve => {
    onLine = resolve
  })
  const store = await PostgresStore.open(schema.url, { migrate: true, folding: limits, log })
  const { pool } = openPool(schema.url, () => {})
  t.teardown(() => pool.end())
  await pool.query('ALTER TABLE term_blocks RENAME TO away')
  await fill(store, 12)
  await logged
  await fill(store, 12, 12)
  await store.close()
  t.equal(lines.length, 1)
  const { time, where, ...line } = JSON.parse(lines[0] ?? '')
  t.ok(time)
  t.match(where, /fold/)
  t.same(line, {
    level: 'error',
    event: 'totals cannot be counted in blocks',
    tenant: tenantA,
    kind: 'token',
    error: 'error',
    code: '42P01',
  })
})
