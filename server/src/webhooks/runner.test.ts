import t from 'tap'
import { later } from '../../verify/support/later.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey, OpenMemoryEngine, replacing } from '../../verify/support/stores.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { StoreUnavailable } from '../storage/port/port.ts'
import { answering, openQueue, tenantA, tenantB } from './_fixture.ts'
import type { Job, ScheduleRecord } from './job.ts'
import { NoRoom, type Performer } from './webhook-parts.ts'

const minute = 60_000
const callbackUrl = 'http://127.0.0.1:1/'

/** Performs nothing until it is told to, and records what it was given. */
function holding() {
  const started: Job[] = []
  const waiting: (() => void)[] = []
  let onStart = () => {}
  const performer: Performer = {
    perform: job =>
      new Promise(done => {
        started.push(job)
        waiting.push(() => done(null))
        onStart()
      }),
  }
  return {
    performer,
    started,
    /** Resolves when so many were started. */
    reached: (count: number) =>
      new Promise<void>(resolve => {
        onStart = () => {
          if (started.length >= count) resolve()
        }
        onStart()
      }),
    /** Ends so many, or all there are, from this place on. */
    end: (count = waiting.length, from = 0) => {
      for (const done of waiting.splice(from, count)) done()
    },
  }
}

t.test('while there is no room for a tenant, its other jobs are left alone', async t => {
  const asked = new Map<string, number>()
  let hasRoom = false
  const performer: Performer = {
    perform: async ({ tenant }) => {
      asked.set(tenant, (asked.get(tenant) ?? 0) + 1)
      if (tenant === tenantA && !hasRoom) throw new NoRoom()
      return null
    },
  }
  const limits = { waiting: { total: 8, tenant: 4 } }
  const queue = await openQueue(t, { performer, parts: { limits } })
  for (let n = 0; n < 30; n++) await queue.accept({ callbackUrl })
  for (let n = 0; n < 30; n++) await queue.accept({ callbackUrl, tenant: tenantB })
  await queue.clock.advance(0)
  t.equal(asked.get(tenantB), 30)
  const first = asked.get(tenantA) ?? 0
  t.ok(first >= 1 && first <= 8, `${first} of 30 were claimed in vain, each of which costs two commits`)
  hasRoom = true
  asked.clear()
  for (let n = 0; n < 4; n++) await queue.clock.advance(2_000)
  t.equal(asked.get(tenantA), 30, 'then each is run, once')
})

t.test('a tenant with many jobs does not hold up another, nor take all the room', async t => {
  const { performer, started, reached, end } = holding()
  const limits = { waiting: { total: 6, tenant: 3 } }
  const queue = await openQueue(t, { parts: { limits } })
  // More than a first look at the store shows.
  await Promise.all(Array.from({ length: 100 }, () => queue.accept({ callbackUrl })))
  await queue.accept({ callbackUrl, tenant: tenantB })
  queue.webhooks.start(performer)
  await reached(3)
  const mine = started.filter(({ tenant }) => tenant === tenantB)
  t.equal(mine.length, 1, 'the one job of the other tenant is among the first')
  end()
  for (let count = 6; count <= 99; count += 3) {
    await reached(count)
    t.ok(started.length <= count, 'three at a time')
    end()
  }
  await reached(101)
  end()
  t.ok(started.slice(3).every(({ tenant }) => tenant === tenantA))
  await queue.clock.advance(0)
  t.equal(started.length, 101)
})

t.test('a job that is due later than a look reads is not forgotten', async t => {
  const { performer, started, reached, end } = holding()
  const many = { tenant: 10_000, application: 10_000, session: 10_000 }
  const limits = { waiting: { total: 2, tenant: 1 }, jobs: many }
  // Longer than a slow machine takes to accept the others.
  const job = { callbackUrl, timeoutMs: 600_000 }
  const queue = await openQueue(t, { parts: { limits } })
  await Promise.all(Array.from({ length: 4_100 }, () => queue.accept(job)))
  queue.webhooks.start(performer)
  await reached(1)
  await queue.accept({ ...job, tenant: tenantB })
  await queue.accept({ ...job, tenant: tenantB })
  await reached(2)
  // The next look reads the 4,096 jobs that have been due longest, all of the other tenant.
  const looked = queue.clock.advance(1_000)
  await nextTurn()
  end(1, 1)
  await reached(3)
  t.equal(started[2]?.tenant, tenantB)
  const closed = queue.webhooks.close()
  end()
  await Promise.all([looked, closed])
})

t.test('a target that never answers does not hold up deliveries to others', async t => {
  // Two ports of one host.
  const silent = await openReceiver(t, () => undefined)
  const other = await openReceiver(t, () => undefined)
  const receiver = await openReceiver(t)
  const limits = { delivery: { total: 8, tenant: 6, host: 3, hostOfTenant: 2 }, graceMs: 10 }
  const queue = await openQueue(t, { performer: answering(null), parts: { limits } })
  for (const tenant of [tenantA, tenantB])
    for (let n = 0; n < 10; n++)
      await queue.accept({ callbackUrl: `${n % 2 === 0 ? silent.origin : other.origin}/${n}`, tenant })
  await Promise.all([silent.arrived(1), other.arrived(1)])
  for (const tenant of [tenantA, tenantB]) {
    await queue.accept({ callbackUrl: receiver.origin.replace('127.0.0.1', 'localhost'), tenant })
    await receiver.arrived(tenant === tenantA ? 1 : 2)
  }
  t.equal(silent.received.length + other.received.length, 3)
})

t.test('advancing the clock resolves when all that fell due is done, one after another', async t => {
  const receiver = await openReceiver(t)
  const limits = {
    waiting: { total: 1, tenant: 1 },
    delivery: { total: 1, tenant: 1 },
  }
  const queue = await openQueue(t, { performer: answering({ raw: 1 }), parts: { limits } })
  await Promise.all(Array.from({ length: 20 }, () => queue.accept({ callbackUrl: receiver.origin })))
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 20)
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 20)
  t.same(await queue.left(), [0, 0])
})

t.test('of two processes on one store each job is taken by one', async t => {
  const receiver = await openReceiver(t)
  const shared = { store: await openTestStore(t), masterKey: newMasterKey() }
  const runs: string[] = []
  const named = (name: string): Performer => ({
    perform: async () => {
      runs.push(name)
      return null
    },
  })
  const one = await openQueue(t, shared)
  const two = await openQueue(t, shared)
  await Promise.all(Array.from({ length: 60 }, () => one.accept({ callbackUrl: receiver.origin })))
  one.webhooks.start(named('one'))
  two.webhooks.start(named('two'))
  await Promise.all([one.clock.advance(0), two.clock.advance(0)])
  await Promise.all([one.clock.advance(1000), two.clock.advance(1000)])
  t.equal(runs.length, 60)
  t.equal(receiver.received.length, 60)
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 60)
})

t.test('who leaves waits for what is under way', async t => {
  const receiver = await openReceiver(t)
  const { performer, reached, end } = holding()
  const queue = await openQueue(t, { performer })
  await queue.accept({ callbackUrl: receiver.origin })
  await reached(1)
  const closed = queue.webhooks.close()
  end()
  await closed
  await queue.clock.advance(minute)
  t.equal(receiver.received.length, 0, 'and takes up nothing more')
  t.same(await queue.left(), [1, 1], 'what came of it is kept')
})

t.test('what does not end in time is given back, and the next process has it at once', async t => {
  const receiver = await openReceiver(t)
  const shared = { store: await openTestStore(t), masterKey: newMasterKey() }
  const { performer, reached, end } = holding()
  const first = await openQueue(t, { ...shared, performer, parts: { limits: { graceMs: 10, runs: 1 } } })
  await first.accept({ callbackUrl: receiver.origin })
  await reached(1)
  await first.webhooks.close()
  const second = await openQueue(t, {
    ...shared,
    performer: answering({ by: 'second' }),
    parts: { limits: { runs: 1 } },
  })
  await second.clock.advance(0)
  // The first process finishes its work after all, too late.
  end()
  await second.clock.advance(minute)
  t.same(receiver.bodies(), [{ by: 'second' }], 'the run that was given back does not count')
})

t.test('an attempt that is given up for leaving does not count', async t => {
  const shared = { store: await openTestStore(t), masterKey: newMasterKey() }
  const receiver = await openReceiver(t, (_, __, count) => (count === 1 ? undefined : 200))
  const first = await openQueue(t, {
    ...shared,
    performer: answering(null),
    parts: { limits: { graceMs: 10 } },
  })
  await first.accept({ callbackUrl: receiver.origin })
  await receiver.arrived(1)
  await first.webhooks.close()
  const page = { nowMs: 0, offset: 0, limit: 1 }
  const { records } = await (await first.store()).find<ScheduleRecord>('job', { op: 'all' }, page)
  t.match(records[0]?.value, { stage: 'delivery', failures: 0 })
  const second = await openQueue(t, { ...shared, performer: answering(null) })
  await second.clock.advance(0)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  t.equal(ids.length, 2)
  t.equal(ids[0], ids[1])
})

t.test('a job that takes longer than its lease makes room, and may be run again', async t => {
  const { performer, started, reached } = holding()
  const limits = { waiting: { total: 1, tenant: 1 }, graceMs: 10 }
  const queue = await openQueue(t, { performer, parts: { limits } })
  // The lease is 30 seconds more than the formula may take: so this one is 200 real milliseconds.
  await queue.accept({ callbackUrl, timeoutMs: -29_800 })
  await reached(1)
  await queue.accept({ callbackUrl, reactor: 'another' })
  const isThere = () => started.some(({ reactor }) => reactor === 'another')
  // On a slow machine the first may be over, and run again, before the other was accepted.
  for (let count = 2; !isThere(); count++) await reached(count)
  t.ok(isThere())
  t.same(await queue.left(), [2, 2])
})

t.test('a clock that is moved beyond a lease does not make its own process run the job again', async t => {
  const { performer, started, reached, end } = holding()
  const queue = await openQueue(t, { performer })
  await queue.accept({ callbackUrl })
  await reached(1)
  const advanced = queue.clock.advance(2 * minute)
  await queue.accept({ callbackUrl, reactor: 'another' })
  await reached(2)
  t.match(started[1], { reactor: 'another' }, 'though the first is due again, and longer')
  end()
  await advanced
  t.equal(started.length, 2)
})

t.test('records that do not open hold up nothing', async t => {
  const store = new OpenMemoryEngine()
  const receiver = await openReceiver(t)
  const queue = await openQueue(t, { store })
  for (const _ of [1, 2, 3]) await queue.accept({ callbackUrl: receiver.origin })
  const page = { nowMs: 0, offset: 0, limit: 10 }
  const broken = { box: new Uint8Array(60) }
  const [schedule] = (await store.find('job', tenantA, { op: 'all' }, page)).documents
  const contents = await store.find('job-content', tenantA, { op: 'all' }, page)
  // Of the newest job the schedule, of the oldest the content.
  if (!schedule || !contents.documents[2]) throw new Error('they are there')
  store.tamper(schedule, () => broken)
  store.tamper(contents.documents[2], () => broken)
  queue.webhooks.start(answering(null))
  await queue.clock.advance(0)
  await queue.clock.advance(1000)
  t.equal(receiver.received.length, 1, 'the one in between is delivered')
  t.equal((await queue.left())[0], 0)
  const log = await (await queue.store()).find(
    'audit',
    { op: 'all' },
    { ...page, nowMs: queue.clock.nowMs() },
  )
  t.equal(log.total, 2, 'and the others leave an entry each')
})

t.test('a store that cannot write is tried again later, not at once', async t => {
  const store = await openTestStore(t)
  const receiver = await openReceiver(t)
  let [isFull, commits] = [false, 0]
  const full = replacing(store, {
    commit: async (writes, nowUs) => {
      commits++
      if (isFull) throw new StoreUnavailable('full')
      return store.commit(writes, nowUs)
    },
  })
  const queue = await openQueue(t, { store: full })
  for (const _ of [1, 2, 3, 4, 5, 6]) await queue.accept({ callbackUrl: receiver.origin })
  await queue.clock.advance(0)
  ;[isFull, commits] = [true, 0]
  queue.webhooks.start(answering(null))
  await queue.clock.advance(0)
  t.ok(commits > 0 && commits < 10, `${commits} commits were tried`)
  isFull = false
  await queue.clock.advance(minute)
  t.equal(receiver.received.length, 6)
})

t.test('processes that see the same jobs do not all begin with the same ones', async t => {
  const store = await openTestStore(t)
  let looks = 0
  const both = later()
  let lost = 0
  const shared = replacing(store, {
    due: async (kind, beforeMs, limit) => {
      // Neither has claimed anything when the other looks.
      if (++looks === 2) both.keep()
      await both.promise
      return store.due(kind, beforeMs, limit)
    },
    commit: async (writes, nowUs) => {
      const result = await store.commit(writes, nowUs)
      if (!result.ok && writes[0]?.kind === 'job') lost++
      return result
    },
  })
  const limits = { waiting: { total: 8, tenant: 8 }, graceMs: 0 }
  const options = { store: shared, masterKey: newMasterKey(), parts: { isShared: true, limits } }
  // A process need not search for jobs that it accepted itself.
  const third = await openQueue(t, options)
  await Promise.all(Array.from({ length: 200 }, () => third.accept({ callbackUrl })))
  const queues = [await openQueue(t, options), await openQueue(t, options)]
  const busy = queues.map(queue => {
    const { performer, reached } = holding()
    queue.webhooks.start(performer)
    return reached(8)
  })
  await Promise.all(busy)
  t.ok(lost < 8, `${lost} of 16 claims were in vain`)
})
