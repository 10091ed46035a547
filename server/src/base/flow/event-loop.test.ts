import t from 'tap'
import { nextTurn, oncePerTurn, TimeSlice } from './event-loop.ts'

t.test('work goes ahead while the iteration is short, and then waits for a later one', async t => {
  let nowMs = 100
  const slice = new TimeSlice(() => nowMs)
  const order: string[] = []
  const work = async (name: string, ms: number) => {
    const pause = slice.yield()
    if (pause) await pause
    order.push(name)
    nowMs += ms
  }
  const all = [work('a', 3), work('b', 3), work('c', 3), work('d', 1)]
  t.same(order, ['a', 'b'])
  await nextTurn()
  await nextTurn()
  await Promise.all(all)
  t.same(order, ['a', 'b', 'c', 'd'])
  await nextTurn()
  t.equal(slice.yield(), undefined, 'who is alone does not wait')
})

t.test('a task that is requested often in a turn runs once at its end, and again in the next', async t => {
  let done = 0
  const ask = oncePerTurn(() => done++)
  ask()
  ask()
  t.equal(done, 0)
  await nextTurn()
  t.equal(done, 1)
  ask()
  await nextTurn()
  t.equal(done, 2)
})
