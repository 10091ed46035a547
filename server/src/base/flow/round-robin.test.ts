import * as fc from 'fast-check'
import t from 'tap'
import { RoundRobin } from './round-robin.ts'

interface Added {
  readonly tenant: string
  readonly application: string
  readonly n: number
}

/** Returns whoever has waited for its turn longest: its tenant first, then its application, then its place in the queue. */
function nextOf(waiting: readonly Added[], lastTurns: ReadonlyMap<string, number>): Added | undefined {
  const turnOf = (name: string) => lastTurns.get(name) ?? -1
  const order = (one: Added) => [turnOf(one.tenant), turnOf(`${one.tenant}/${one.application}`), one.n]
  return waiting.toSorted((a, b) => {
    const [left, right] = [order(a), order(b)]
    const at = left.findIndex((value, index) => value !== right[index])
    return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
  })[0]
}

t.test('nobody is served twice while another tenant, or its other application, waits longer', async t => {
  const name = fc.constantFrom('a', 'b', 'c')
  const waiting = fc.array(fc.record({ tenant: name, application: name }), { maxLength: 20 })
  fc.assert(
    fc.property(waiting, given => {
      const queue = new RoundRobin<Added>()
      const added: readonly Added[] = given.map((one, n) => ({ ...one, n }))
      for (const one of added) queue.add(one, one)
      const left = new Set(added)
      const lastTurns = new Map<string, number>()
      for (let turn = 0; left.size > 0; turn++) {
        if (queue.size !== left.size) return false
        const expected = nextOf([...left], lastTurns) as Added
        if (queue.next() !== expected) return false
        left.delete(expected)
        lastTurns.set(expected.tenant, turn)
        lastTurns.set(`${expected.tenant}/${expected.application}`, turn)
      }
      return queue.next() === undefined && queue.size === 0
    }),
  )
  t.pass()
})

t.test('a session has turns of its own beside its application', async t => {
  const queue = new RoundRobin<string>()
  const application = { tenant: 'a', application: 'shop' }
  for (const n of [1, 2]) queue.add({ ...application, session: 's' }, `session ${n}`)
  queue.add(application, 'application')
  for (const next of ['session 1', 'application', 'session 2']) t.equal(queue.next(), next)
})
