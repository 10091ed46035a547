import t from 'tap'
import { nextTurn } from './event-loop.ts'
import { Turns } from './turns.ts'

/** Turns on a clock that stands still unless work takes time. */
function testTurns() {
  let nowMs = 100
  const turns = new Turns(() => nowMs)
  const order: string[] = []
  /** Does parts of work that take so many times two milliseconds each. */
  const work = async (name: string, parts: number, ms: number, request?: { isGone?: boolean }) => {
    const principal = { tenant: name.charAt(0), application: name.charAt(1), request }
    for (let part = 0; part < parts; part++) {
      const passing = turns.pass(principal)
      if (passing) await passing
      order.push(name)
      nowMs += 2 * ms
    }
  }
  const later = (ms: number) => {
    nowMs += ms
  }
  return { turns, order, work, later }
}

t.test('work goes on at once while the iteration has time, and nobody waits', async t => {
  const { turns, order, work } = testTurns()
  const all = [work('a1', 1, 3), work('a2', 1, 3), work('a3', 1, 3), work('a4', 1, 1)]
  t.same(order, ['a1', 'a2'])
  await Promise.all(all)
  t.same(order, ['a1', 'a2', 'a3', 'a4'])
  await nextTurn()
  t.equal(turns.pass({ tenant: 'a' }), undefined, 'who is alone does not wait')
})

t.test('those who wait go on in turns by tenant, whoever asks first in an iteration', async t => {
  const { order, work } = testTurns()
  await Promise.all([work('a1', 4, 10), work('a2', 4, 10), work('b1', 2, 10)])
  t.same(order, ['a1', 'a1', 'b1', 'a2', 'b1', 'a1', 'a2', 'a1', 'a2', 'a2'])
})

t.test('an application of a tenant does not wait for all work of another one', async t => {
  const { order, work } = testTurns()
  const first = Array.from({ length: 5 }, () => work('a1', 2, 10))
  await Promise.all([...first, work('a2', 1, 10)])
  t.equal(order.indexOf('a2'), 2, order.join(' '))
})

t.test('short work of many shares one iteration', async t => {
  const { order, work } = testTurns()
  await work('a1', 1, 10)
  const all = Array.from({ length: 8 }, () => work('b1', 1, 1))
  t.same(order, ['a1'], 'all wait')
  let iterations = 0
  const count = () => {
    iterations++
    if (order.length < 9) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(all)
  t.ok(iterations <= 3, `${iterations} iterations`)
})

t.test('who has its turn goes on while it has time, and others wait', async t => {
  const { order, work } = testTurns()
  await work('a1', 1, 10)
  await Promise.all([work('b1', 3, 2), work('c1', 1, 2)])
  t.same(order, ['a1', 'b1', 'b1', 'b1', 'c1'])
})

t.test('work rests while connections are accepted, but not for long', async t => {
  const { turns, order, work, later } = testTurns()
  const all = work('a1', 4, 10)
  turns.connected()
  await nextTurn()
  t.equal(order.length, 1, 'a connection was accepted')
  await nextTurn()
  t.equal(order.length, 2, 'no further one')
  turns.connected()
  await nextTurn()
  later(9)
  turns.connected()
  await nextTurn()
  t.equal(order.length, 2, 'two more')
  later(1)
  turns.connected()
  await nextTurn()
  t.equal(order.length, 3, 'the rest has ended')
  await all
})

t.test('work for a caller that is gone ends at its next turn', async t => {
  const { turns, order, work } = testTurns()
  const request = { isGone: false }
  const long = work('a1', 9, 10, request)
  const other = work('b1', 2, 10)
  await nextTurn()
  request.isGone = true
  await t.rejects(long, { code: 'malformed_json' })
  await other
  t.ok(order.filter(name => name === 'a1').length < 9, order.join(' '))
  t.throws(() => turns.pass({ tenant: 'a', request }), { code: 'malformed_json' })
  t.doesNotThrow(() => turns.pass({ tenant: 'a', request: { isGone: false } }), 'the control')
})
