import t from 'tap'
import type { Release } from '../base/slots.ts'
import { FairQueue } from './fair-queue.ts'

const limits = { slots: 2, slotsPerTenant: 1 }

/** A queue, and the order in which tasks started. */
function watched(given: Partial<typeof limits> = {}) {
  const queue = new FairQueue({ ...limits, ...given })
  const order: string[] = []
  const held = new Map<string, Release>()
  return {
    queue,
    order,
    enter: (name: string) =>
      queue.enter(name[0] ?? '', release => {
        order.push(name)
        held.set(name, release)
      }),
    leave: (name: string) => held.get(name)?.(),
  }
}

t.test('tenants take turns, however many tasks of one wait', async t => {
  const { order, enter, leave } = watched({ slotsPerTenant: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) enter(name)
  t.same(order, ['a1', 'a2'], 'as many as there are slots')
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) leave(name)
  t.same(order, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
})

t.test('a tenant that holds its share of slots gets no more', async t => {
  const { order, enter, leave } = watched()
  for (const name of ['a1', 'a2', 'a3', 'b1']) enter(name)
  t.same(order, ['a1', 'b1'])
  leave('b1')
  t.same(order, ['a1', 'b1'], 'a free slot does not go to the tenant that holds its share')
  enter('c1')
  t.same(order, ['a1', 'b1', 'c1'])
  leave('a1')
  t.same(order, ['a1', 'b1', 'c1', 'a2'])
})

t.test('a task that may not start yet waits, and does not delay others', async t => {
  const refused = new Set(['a'])
  const order: string[] = []
  const queue = new FairQueue(limits, tenant => !refused.has(tenant))
  for (const tenant of ['a', 'b', 'a']) queue.enter(tenant, () => order.push(tenant))
  t.same(order, ['b'])
  queue.next()
  t.same([order, queue.queued], [['b'], 2], 'nothing has changed')
  refused.clear()
  queue.next()
  t.same([order, queue.queued], [['b', 'a'], 1])
})

t.test('a task that gave up is skipped, and a slot is released only once', async t => {
  const { queue, order, enter, leave } = watched({ slots: 1 })
  enter('a1')
  const giveUp = enter('b1')
  enter('c1')
  giveUp()
  giveUp()
  t.equal(queue.queued, 1)
  leave('a1')
  leave('a1')
  t.same(order, ['a1', 'c1'])
  enter('d1')
  t.same(order, ['a1', 'c1'], 'the second release had no effect')
})
