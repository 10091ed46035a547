import t from 'tap'
import { nextTurn } from '../../../base/turn.ts'
import { digest, tenantA } from '../../port.samples.ts'
import { Reader } from './reader.ts'

t.test('reads in many full batches all resolve, with one statement per batch', async t => {
  const asked: (() => void)[] = []
  const pool = {
    query: () => new Promise(resolve => asked.push(() => resolve({ rows: [] }))),
  }
  const dialect = { anyIndex: true, undivided: true }
  const reader = new Reader(pool as never, dialect, { reads: 1, searches: 1 }, () => {})
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
