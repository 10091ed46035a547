import { randomBytes } from 'node:crypto'
import t from 'tap'
import { digest, find, idsOf, insert, mustCommit, term } from '../../port/port.samples.ts'
import { openStopping } from './_stopping.ts'

// Twice as long as a log may be, as that is allowed while LevelDB makes a table of the last one.
const long = () => ({ box: randomBytes(140 << 10), terms: ['x'] })
const short = () => ({ box: randomBytes(7), terms: ['x'] })

for (const [length, sample, count] of [
  ['ends', long, 3],
  ['goes on', short, 1],
] as const) {
  t.test(`a search finds what there is at one moment if the log ${length}`, async t => {
    const { store, stop, goOn } = await openStopping(t)
    await mustCommit(store, [insert('a', short())])
    const searching = find(store, term('x'))
    await stop()
    await mustCommit(store, [insert('b', sample())], 2)
    await mustCommit(store, [insert('c', sample())], 3)
    const { documents, total } = await goOn(searching)
    t.equal(total, count)
    t.same(idsOf(documents), ['c', 'b', 'a'].slice(-count).map(digest))
  })
}

t.test('who has begun twice in vain is waited for', async t => {
  const { store, stop, go, goOn } = await openStopping(t)
  await mustCommit(store, [insert(0, long())])
  const order: string[] = []
  const searching = find(store, term('x')).finally(() => order.push('search'))
  for (const id of [1, 2]) {
    await stop()
    await mustCommit(store, [insert(id, long())], id + 1)
    await go()
  }
  await stop()
  const committing = mustCommit(store, [insert(3, long())], 4).finally(() => order.push('commit'))
  t.equal((await goOn(searching)).total, 3)
  await committing
  t.same(order, ['search', 'commit'])
})
