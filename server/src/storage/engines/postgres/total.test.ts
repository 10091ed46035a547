import t from 'tap'
import { database, newSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { everything, find, insert, mustCommit, remove, term } from '../../port/port.samples.ts'
import { PostgresStore } from './postgres-store.ts'

t.test('the total of all is read from the collection, not counted', withPostgres, async t => {
  const schema = newSchema(t)
  await schema.create()
  const store = await PostgresStore.open(schema.url, { migrate: true })
  t.teardown(() => store.close())
  await mustCommit(store, [insert('a', { terms: ['x'] }), insert('b'), insert('over', { dueMs: 10 })])
  await mustCommit(store, [insert('c'), remove('a', 1), insert('a', { terms: ['x'] })])
  const known = async () => {
    const { rows } = await database().query(`SELECT documents FROM ${schema.name}.collections`)
    return rows.map(({ documents }) => Number(documents))
  }
  t.same(await known(), [4])
  const page = { ...everything, nowMs: 10, limit: 2 }
  t.equal((await find(store, { op: 'all' }, page)).total, 3)

  // A count of rows is not affected.
  await database().query(`UPDATE ${schema.name}.collections SET documents = documents + 1000`)
  const totalOf = async (query: Parameters<typeof find>[1], options = page) =>
    (await find(store, query, options)).total
  t.equal(await totalOf({ op: 'all' }), 1003)
  t.equal(await totalOf({ op: 'and', of: [{ op: 'all' }, { op: 'all' }] }), 1003)
  t.equal(await totalOf({ op: 'all' }, { ...page, limit: 0 }), 1003)
  t.equal(await totalOf({ op: 'all' }, { ...page, limit: 4 }), 3, 'a page that is all there is tells its own')
  t.equal(await totalOf({ op: 'or', of: [{ op: 'all' }, term('x')] }), 3)
  t.equal(await totalOf(term('x'), { ...page, limit: 1 }), 1)
})
