import t from 'tap'
import { Admission } from './admission.ts'
import { FairQueue } from './fair-queue.ts'

const limits = { total: 2, tenant: 1 }

/** A queue, and the order in which tasks started. */
function watched(given: Partial<typeof limits> = {}) {
  const queue = new FairQueue(new Admission({ ...limits, ...given }))
  const order: string[] = []
  const held = new Map<string, () => void>()
  return {
    order,
    enter: (name: string) =>
      queue.enter({ tenant: name[0] ?? '' }, release => {
        order.push(name)
        held.set(name, release)
      }),
    leave: (name: string) => held.get(name)?.(),
  }
}

t.test('tenants take turns, however many tasks of one wait', async t => {
  const { order, enter, leave } = watched({ tenant: 2 })
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
  const queue = new FairQueue(new Admission(limits), tenant => !refused.has(tenant))
  for (const tenant of ['a', 'b', 'a']) queue.enter({ tenant }, () => order.push(tenant))
  t.same(order, ['b'])
  queue.next()
  t.same(order, ['b'], 'nothing has changed')
  refused.clear()
  queue.next()
  t.same(order, ['b', 'a'], 'the third waits for the share of its tenant')
})

t.test('a task that gave up is skipped, and a slot is released only once', async t => {
  const { order, enter, leave } = watched({ total: 1 })
  enter('a1')
  const giveUp = enter('b1')
  enter('c1')
  giveUp()
  giveUp()
  leave('a1')
  leave('a1')
  t.same(order, ['a1', 'c1'])
  enter('d1')
  t.same(order, ['a1', 'c1'], 'the second release had no effect')
})

t.test('sessions of a tenant take turns, and one does not hold up the others', async t => {
  const order: string[] = []
  const queue = new FairQueue(new Admission({ total: 4, tenant: 3, application: 2, session: 1 }))
  const releases = new Map<string, () => void>()
  const enter = (name: string, session?: string, application = 'public') =>
    queue.enter({ tenant: 'a', application, session }, release => {
      order.push(name)
      releases.set(name, release)
    })
  for (const name of ['s1', 's2', 's3']) enter(name, 's')
  enter('t1', 't')
  enter('u1', 'u')
  t.same(order, ['s1', 't1'], 'as many as the application of the sessions may have')
  enter('backend', undefined, 'private')
  t.same(order, ['s1', 't1', 'backend'], 'which leaves room for another application')
  releases.get('s1')?.()
  t.same(order, ['s1', 't1', 'backend', 's2'])
  releases.get('t1')?.()
  t.same(order, ['s1', 't1', 'backend', 's2', 'u1'])
})
