import t from 'tap'
import { nextTurn, oncePerTurn } from './event-loop.ts'

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
