import t from 'tap'
import { Turns } from './turn.ts'

t.test('a turn is passed on once it has lasted, and begins anew', async t => {
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
