import t from 'tap'
import { later } from '../../verify/support/later.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey } from '../../verify/support/stores.ts'
import { ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { LogFields } from '../base/log.ts'
import { StoreUnavailable } from '../storage/port/port.ts'
import { answering, openQueue, type Queue, tenantA } from './_fixture.ts'
import type { ContentRecord } from './job.ts'
import { NoRoom, type Performer } from './webhook-parts.ts'

const minute = 60_000

/** Stores a token, as it were, in the commit that ends the job. */
function committing(queue: () => Queue, id: string, answer: JsonValue): Performer['perform'] {
  return async (_, receipt) => {
    const store = await queue().store()
    const token = store.insert('token', { id })
    const { ok } = await store.commit([token, ...receipt(answer)], queue().clock.nowUs())
    return ok ? answer : { problem: 'overtaken' }
  }
}

async function tokens(queue: Queue): Promise<number> {
  const page = { nowMs: 0, offset: 0, limit: 0 }
  return (await (await queue.store()).find('token', { op: 'all' }, page)).total
}

t.test('what a job makes and its delivery are one commit', async t => {
  const receiver = await openReceiver(t)
  const queue: Queue = await openQueue(t)
  queue.webhooks.start({ perform: committing(() => queue, 'a-token', { tokens: 'a-token' }) })
  await queue.accept({ callbackUrl: receiver.origin })
  await queue.clock.advance(0)
  t.equal(await tokens(queue), 1)
  t.same(receiver.bodies(), [{ tokens: 'a-token' }])
})

t.test('what the job was given is erased as soon as it was performed', async t => {
  const queue = await openQueue(t, { performer: answering({ raw: 1 }) })
  await queue.accept({ callbackUrl: 'http://127.0.0.1:1/', args: { secret: 'plain' } })
  const contents = async () => {
    const store = await queue.store()
    const page = { nowMs: 0, offset: 0, limit: 1 }
    return (await store.find<ContentRecord>('job-content', { op: 'all' }, page)).records[0]?.value
  }
  t.match(await contents(), { args: { secret: 'plain' } }, 'control: while it waits it is there')
  await queue.clock.advance(0)
  const kept = await contents()
  t.ok(kept)
  t.notOk(kept && 'args' in kept)
})

t.test('where two processes run one job, its tokens are committed once and it is delivered once', async t => {
  const receiver = await openReceiver(t)
  const shared = { store: await openTestStore(t), masterKey: newMasterKey() }
  const held = later()
  const slowStarted = later()
  const slow: Queue = await openQueue(t, shared)
  slow.webhooks.start({
    perform: async (job, receipt) => {
      slowStarted.keep()
      await held.promise
      return committing(() => slow, 'of-the-slow', { by: 'slow' })(job, receipt)
    },
  })
  await slow.accept({ callbackUrl: receiver.origin })
  await slowStarted.promise

  let runs = 0
  const quick: Queue = await openQueue(t, shared)
  quick.webhooks.start({
    perform: (job, receipt) => {
      runs++
      return committing(() => quick, 'of-the-quick', { by: 'quick' })(job, receipt)
    },
  })
  await quick.clock.advance(39_000)
  t.equal(runs, 0, 'as long as its lease lasts nobody else runs it')
  await quick.clock.advance(2000)
  t.equal(runs, 1)
  held.keep()
  await slow.clock.advance(minute)
  await quick.clock.advance(minute)
  t.equal(await tokens(quick), 1)
  t.same(receiver.bodies(), [{ by: 'quick' }])
  t.same(await quick.left(), [0, 0])
})

t.test('a fault of ours is delivered as a problem that says nothing but the trace', async t => {
  const receiver = await openReceiver(t)
  const said: [string, LogFields | undefined][] = []
  const queue = await openQueue(t, {
    perform: async () => {
      throw new TypeError('4242424242424242')
    },
    log: { info() {}, warn() {}, error: (...line) => said.push(line as never) },
  })
  await queue.accept({ callbackUrl: receiver.origin, traceId: 'a trace' })
  await queue.clock.advance(0)
  t.match(receiver.bodies()[0], {
    type: 'urn:surrogate:error:internal',
    status: 500,
    instance: 'urn:surrogate:trace:a%20trace',
  })
  t.match(said, [['job failed', { error: 'TypeError' }]])
  t.notMatch(JSON.stringify([said, String(receiver.received[0]?.body)]), /4242/)
  t.same(await queue.left(), [0, 0])
})

t.test('where the store cannot answer a job is run again later', async t => {
  const receiver = await openReceiver(t)
  let runs = 0
  const queue = await openQueue(t, {
    perform: async () => {
      if (++runs === 1) throw new StoreUnavailable('full')
      return { runs }
    },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 0)
  await queue.clock.advance(minute)
  t.same(receiver.bodies(), [{ runs: 2 }])
})

t.test('a job that finds no room is run a little later, as often as it takes', async t => {
  const receiver = await openReceiver(t)
  let asked = 0
  const queue = await openQueue(t, {
    perform: async () => {
      if (++asked <= 4) throw new NoRoom()
      return { asked }
    },
    parts: { limits: { runs: 1 } },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  await queue.clock.advance(0)
  t.equal(asked, 1)
  for (const _ of [2, 3, 4, 5]) await queue.clock.advance(2000)
  t.match(receiver.bodies(), [{ asked: 5 }])
})

t.test('who says that it was overtaken has nothing delivered for it', async t => {
  const receiver = await openReceiver(t)
  const said: unknown[] = []
  const queue = await openQueue(t, {
    perform: async () => {
      throw new ServiceError('idempotency_conflict', 'another process has done this job')
    },
    log: { info() {}, warn() {}, error: (...line) => said.push(line) },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 0)
  t.same(said, [])
  t.same(await queue.left(), [1, 1], 'it is the other one’s now')
})

t.test('a job under which one process after another dies is not run for ever', async t => {
  const receiver = await openReceiver(t)
  let runs = 0
  const queue = await openQueue(t, {
    // For the store it looks as if the process had gone: no outcome, and a lease that ends.
    perform: async () => {
      runs++
      throw new StoreUnavailable('dead')
    },
    parts: { limits: { runs: 3 } },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  for (let tried = 1; tried <= 3; tried++) {
    await queue.clock.advance(minute)
    t.equal(runs, tried)
    t.equal(receiver.received.length, 0)
  }
  await queue.clock.advance(minute)
  t.equal(runs, 3)
  t.match(receiver.bodies()[0], { status: 500, detail: 'the invocation was cut off too often' })
})

t.test('a store that is emptied meanwhile leaves nothing to do, and nothing to stumble over', async t => {
  const receiver = await openReceiver(t)
  const held = later()
  const started = later()
  const said: string[] = []
  const queue = await openQueue(t, {
    perform: async () => {
      started.keep()
      await held.promise
      return null
    },
    log: { info() {}, warn() {}, error: event => said.push(event) },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  await started.promise
  await queue.records.clear()
  held.keep()
  await queue.clock.advance(minute)
  t.same(said, [])
  t.equal(receiver.received.length, 0)
  t.equal(await queue.parts.records.tenant(tenantA), undefined)
})
