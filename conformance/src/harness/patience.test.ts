import tap from 'tap'
import { Patience } from './patience.ts'

tap.test('after a wait in vain, others are twice as long as what was worth waiting for', t => {
  const patience = new Patience(6000)
  patience.met(1000)
  t.equal(patience.limitMs, 6000)
  patience.inVain()
  t.equal(patience.limitMs, 2000)
  patience.met(1500)
  t.equal(patience.limitMs, 3000)
  patience.met(5000)
  t.equal(patience.limitMs, 6000, 'not longer than the first')
  t.end()
})

tap.test('a wait is at least half a second, unless the run allows less', t => {
  for (const [mostMs, expected] of [
    [6000, 500],
    [10, 10],
  ] as const) {
    const patience = new Patience(mostMs)
    patience.inVain()
    t.equal(patience.limitMs, expected)
  }
  t.end()
})
