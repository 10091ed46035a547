import t from 'tap'
import { nextTurn } from '../../../base/flow/event-loop.ts'
import { silentLog } from '../../../base/log.ts'
import { digest, tenantA, tenantB } from '../../port/port.samples.ts'
import { Reader } from './reader.ts'

t.test('reads in many full batches all resolve, with one statement per batch', async t => {
  const asked: (() => void)[] = []
  const pool = {
    query: () => new Promise(resolve => asked.push(() => resolve({ rows: [] }))),
  }
  const dialect = { isDistributed: false, isCitus: false, isFrozen: false }
  const reader = new Reader(pool as never, dialect, { reads: 1, searches: 1 }, () => {}, silentLog)
  let answered = 0
  const read = () =>
    reader
      .get(
        'token',
        tenantA,
        Array.from({ length: 400 }, (_, id) => digest(`${answered} ${id} ${Math.random()}`)),
      )
      .then(() => answered++)
  const reads = [read(), read(), read()]
  await nextTurn()
  reads.push(read(), read())
  asked[0]?.()
  await nextTurn()
  reads.push(read())
  for (let at = 1; at < 6; at++) {
    await nextTurn()
    asked[at]?.()
  }
  await nextTurn()
  t.equal(answered, 6)
  t.equal(asked.length, 6)
  await Promise.all(reads)
})

t.test('where tables are distributed, the reads of a tenant share a statement that names it', async t => {
  const asked: { readonly name: string; readonly values: unknown[] }[] = []
  const pool = {
    query: async (statement: (typeof asked)[number]) => {
      asked.push(statement)
      return { rows: [] }
    },
  }
  const dialect = { isDistributed: true, isCitus: false, isFrozen: false }
  const reader = new Reader(pool as never, dialect, { reads: 2, searches: 1 }, () => {}, silentLog)
  await Promise.all([
    reader.get('key', tenantA, [digest('a')]),
    reader.get('token', tenantA, [digest('b')]),
    reader.get('token', tenantB, [digest('c')]),
  ])
  t.match(asked, [
    { name: 'getOfTenant', values: [tenantA, '{107,111}'] },
    { name: 'getOfTenant', values: [tenantB, '{111}'] },
  ])
  t.equal(asked.length, 2)
})
