import t from 'tap'
import { nextTurn, oncePerTurn, Turns } from './turn.ts'

t.test('a long request yields after its time, and then starts again', async t => {
  let nowMs = 100
  const turns = new Turns(() => nowMs)
  nowMs += 2
  t.equal(turns.passed(), undefined)
  nowMs += 0.1
  const passing = turns.passed()
  t.ok(passing instanceof Promise)
  let others = 0
  setImmediate(() => others++)
  nowMs += 1000
  await passing
  await new Promise(resolve => setImmediate(resolve))
  t.equal(others, 1)
  t.equal(turns.passed(), undefined, 'while others had theirs, no time of ours went by')
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
