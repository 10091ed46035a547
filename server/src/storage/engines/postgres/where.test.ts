import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { database, newSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import {
  digest,
  everything,
  insert,
  mustCommit,
  replace,
  tenantA,
  tenantB,
  term,
} from '../../port/port.samples.ts'
import type { Query } from '../../port/port.ts'
import { MemoryStore } from '../memory/memory-store.ts'
import { openPool } from './connect.ts'
import { PostgresStore } from './postgres-store.ts'
import { queriesOf } from './queries.samples.ts'
import { Reader } from './reader.ts'
import { Condition } from './where.ts'

const terms = 5
const documents = 40

const leaf: fc.Arbitrary<Query> = fc.oneof(
  fc.constantFrom<Query>({ op: 'all' }, { op: 'none' }),
  fc.nat(terms - 1).map(term),
  fc
    .array(fc.nat(documents + 2), { maxLength: 4 })
    .map((ids): Query => ({ op: 'ids', ids: ids.map(digest) })),
  fc
    .record(
      {
        fromUs: fc.integer({ min: -5, max: documents * 12 }),
        toUs: fc.integer({ min: -5, max: documents * 12 }),
      },
      { requiredKeys: [] },
    )
    .chain(range => fc.constantFrom<Query>({ op: 'created', ...range }, { op: 'modified', ...range })),
)

const query = queriesOf(leaf)

t.test('each form of a condition finds the same as the memory engine', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  const store = await PostgresStore.open(schema.url, { migrate: true })
  const model = new MemoryStore()
  for (const one of [store, model]) {
    for (let id = 0; id < documents; id++) {
      const sample = { terms: Array.from({ length: terms }, (_, at) => at).filter(at => (id >> at) & 1) }
      await mustCommit(one, [insert(id, sample)], id * 10)
      if (id % 3 === 0) await mustCommit(one, [replace(id, 1, sample)], id * 10 + 1)
      // Others with the same terms are nobody's business.
      const others = [insert(id, { ...sample, tenant: tenantB }), insert(id, { ...sample, kind: 'audit' })]
      if (id < 5) await mustCommit(one, others, id * 10)
    }
  }
  await store.close()
  const { pool } = openPool(schema.url, () => {})
  t.teardown(() => pool.end())
  const dialects = [
    { anyIndex: true, undivided: true },
    { anyIndex: true, undivided: false },
    { anyIndex: false, undivided: false },
  ]
  const readers = dialects.map(dialect => new Reader(pool, dialect, { reads: 5, searches: 5 }, () => {}))
  const property = fc.asyncProperty(query, async one => {
    const expected = await model.find('token', tenantA, one, everything)
    for (const reader of readers) {
      const found = await reader.find('token', tenantA, one, everything)
      deepStrictEqual(
        [found.total, found.documents.map(({ id }) => id)],
        [expected.total, expected.documents.map(({ id }) => id)],
      )
    }
  })
  await t.resolves(fc.assert(property, { numRuns: 300 }))
})

t.test(
  'what all must have is one condition on the index; the rest uses it only where that is possible',
  async t => {
    const written = (one: Query, anyIndex: boolean) => {
      const condition = new Condition([], anyIndex)
      return [condition.of(one), condition.values.length] as const
    }
    const both: Query = { op: 'and', of: [term('a'), { op: 'and', of: [term('b')] }] }
    t.same(written(both, true), ['terms @> $1::uuid[]', 1])
    t.same(written(both, false), ['terms @> $1::uuid[]', 1])
    const either: Query = { op: 'and', of: [term('a'), { op: 'or', of: [term('b'), term('c')] }] }
    t.same(written(either, true)[0], 'terms @> $1::uuid[] AND (terms && $2::uuid[])')
    t.same(
      written(either, false)[0],
      'terms @> $1::uuid[] AND ($2::uuid = ANY(terms) OR $3::uuid = ANY(terms))',
    )
    t.same(written({ op: 'not', of: term('a') }, false)[0], 'NOT ($1::uuid = ANY(terms))')
    const excluding: Query = { op: 'and', of: ['a', 'b'].map(name => ({ op: 'not', of: term(name) })) }
    t.same(written({ op: 'and', of: [excluding, term('c')] }, true), [
      'terms @> $1::uuid[] AND NOT ((terms && $2::uuid[]))',
      2,
    ])
    const checking = (one: Query) => new Condition([], true).checking(one)
    t.same(checking(both), '(((terms @> $1::uuid[]) IS TRUE))')
    t.same(checking({ op: 'or', of: [term('a'), term('b')] }), '(((terms && $1::uuid[]) IS TRUE))')
  },
)

t.test('a count by terms uses no other index, where tables are not distributed', async t => {
  const counts = async (one: Query, undivided: boolean) => {
    let text = ''
    const listening = {
      query: async (asked: { text: string }) => {
        text = asked.text
        return { rows: [['0']] }
      },
    }
    await new Reader(
      listening as never,
      { anyIndex: true, undivided },
      { reads: 5, searches: 5 },
      () => {},
    ).find('token', tenantA, one, { nowMs: 0, offset: 0, limit: 0 })
    return text.includes('tenant = $1') ? 'within' : 'checked'
  }
  const range: Query = { op: 'created', fromUs: 1 }
  const cases: [query: Query, form: string][] = [
    [term('a'), 'checked'],
    [
      {
        op: 'and',
        of: [
          { op: 'not', of: term('a') },
          { op: 'and', of: [term('b')] },
        ],
      },
      'checked',
    ],
    [{ op: 'or', of: [term('a'), term('b')] }, 'checked'],
    [{ op: 'or', of: [term('a'), { op: 'not', of: term('b') }] }, 'within'],
    [{ op: 'or', of: [] }, 'within'],
    [{ op: 'not', of: term('a') }, 'within'],
    [{ op: 'all' }, 'within'],
    [{ op: 'and', of: [term('a'), range] }, 'within'],
    [{ op: 'and', of: [term('a'), { op: 'ids', ids: [digest('a')] }] }, 'within'],
  ]
  for (const [one, form] of cases) {
    t.equal(await counts(one, true), form, JSON.stringify(one))
    t.equal(await counts(one, false), 'within', 'a statement without its tenant would go to all shards')
  }
})

t.test('a search for few documents among many reads no more than those', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  const store = await PostgresStore.open(schema.url, { migrate: true })
  t.teardown(() => store.close())
  const writes = Array.from({ length: 3_000 }, (_, id) =>
    insert(id, { terms: id % 1_000 === 0 ? ['rare'] : ['common'] }),
  )
  await mustCommit(store, writes)
  const admin = database()
  await admin.query(`ANALYZE ${schema.name}.documents`)
  const condition = new Condition([], true)
  const where = condition.of(term('rare'))
  const { rows } = await admin.query(
    `EXPLAIN SELECT id FROM ${schema.name}.documents WHERE ${where} ORDER BY created_us DESC LIMIT 20`,
    condition.values,
  )
  t.match(rows.map(row => row['QUERY PLAN']).join('\n'), /documents_terms/)
})
