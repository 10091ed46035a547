import t from 'tap'
import { webhooks as sdk } from '../../../sdk/src/index.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { writeTenant } from '../access/tenant-settings.ts'
import { createCallbackSender } from '../egress/callback-sender.ts'
import type { Resolve } from '../egress/resolve.ts'
import { limits } from '../generated/facts.ts'
import { answering, openQueue, type Queue, tenantA } from './_fixture.ts'
import { retryDelayMs } from './claim.ts'

const answer = { tokens: { card: 'an-id' }, raw: { ok: true, name: 'Zoë' } }
const hour = 3_600_000

/** The entries that say of a reactor that its result could not be delivered. */
async function failuresOf(queue: Queue, tenant = tenantA) {
  const store = await queue.store(tenant)
  const page = { nowMs: queue.clock.nowMs(), offset: 0, limit: 100 }
  const { records } = await store.find('audit', { op: 'all' }, page)
  return records.map(({ value }) => value as unknown as Record<string, unknown>)
}

t.test('each retry comes at its time, and after the tenth the job is given up', async t => {
  const receiver = await openReceiver(t, () => 500)
  const queue = await openQueue(t, { performer: answering(answer) })
  const reactor = '0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c77'
  await queue.accept({ callbackUrl: receiver.origin, reactor })
  await queue.clock.advance(0)
  for (let failures = 1; failures <= limits.webhookRetries; failures++) {
    t.equal(receiver.received.length, failures)
    t.same(await failuresOf(queue), [], 'it is not over yet')
    const [soonest = 0, latest = 0] = [0, 1].map(chance => retryDelayMs(failures, chance))
    await queue.clock.advance(soonest - 1000)
    t.equal(receiver.received.length, failures, `not before ${soonest} ms`)
    await queue.clock.advance(latest - soonest + 1000)
  }
  t.equal(receiver.received.length, 1 + limits.webhookRetries)
  t.match(await failuresOf(queue), [
    {
      operation: 'webhook:deliver',
      entity_type: 'reactor',
      entity_id: reactor,
      actor_type: 'system',
      outcome: 'failed',
    },
  ])
  t.same(await queue.left(), [0, 0])
  await queue.clock.advance(10 * hour)
  t.equal(receiver.received.length, 1 + limits.webhookRetries)
})

t.test('a retry comes after its time although the clock was set back meanwhile', async t => {
  const receiver = await openReceiver(t, (_, __, count) => (count === 1 ? 500 : 204))
  let machineMs = Date.UTC(2030, 0, 1)
  const queue = await openQueue(t, { performer: answering(answer), now: () => machineMs })
  await queue.accept({ callbackUrl: receiver.origin })
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 1)
  machineMs -= hour
  await queue.clock.advance(0)
  const [soonest = 0, latest = 0] = [0, 1].map(chance => retryDelayMs(1, chance))
  machineMs += soonest - 1_000
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 1, 'not before')
  machineMs += 1.02 * (latest - soonest) + 10_000
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 2)
  t.same(await queue.left(), [0, 0])
})

t.test('a receiver that is slow, absent or cut off is tried again', async t => {
  const receiver = await openReceiver(t, (_, response, count) => {
    if (count === 1) return undefined
    if (count === 2) response.destroy()
    return count === 2 ? undefined : 204
  })
  const send = createCallbackSender({ allowPrivate: true, timeoutMs: 1000 })
  const queue = await openQueue(t, { performer: answering(answer), parts: { send } })
  await queue.accept({ callbackUrl: receiver.origin })
  await queue.accept({ callbackUrl: 'http://127.0.0.1:1/' })
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 1)
  await queue.clock.advance(hour)
  await queue.clock.advance(hour)
  t.equal(receiver.received.length, 3)
  t.same(await queue.left(), [1, 1], 'nobody listens at the other one')
})

t.test('a name that comes to stand for a private address is not connected to', async t => {
  const receiver = await openReceiver(t)
  const looked: string[] = []
  const resolve: Resolve = async hostname => {
    looked.push(hostname)
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const callbacks = { allowPrivate: false }
  const outcomes: unknown[] = []
  const queue = await openQueue(t, {
    performer: answering(answer),
    log: { info: (_, fields) => outcomes.push(fields?.outcome), warn() {}, error() {} },
    parts: { callbacks, send: createCallbackSender({ ...callbacks, resolve }) },
  })
  await queue.accept({ callbackUrl: `https://hooks.test:${receiver.port}/` })
  await queue.clock.advance(0)
  t.same(looked, ['hooks.test'])
  t.ok(outcomes.includes('refused'))
  t.equal(receiver.received.length, 0)
  t.same(await queue.left(), [1, 1], 'what the name stands for may change, so it is tried again')
})

t.test('the body is made from what was kept, and from then on the same', async t => {
  const receiver = await openReceiver(t, (_, __, count) => (count < 3 ? 500 : 200))
  const queue = await openQueue(t)
  const all = queue.parts.tokens
  const of = all.of.bind(all)
  let reads = 0
  all.of = caller => {
    if (++reads === 1) throw new Error('tokens cannot be read now')
    return of(caller)
  }
  const tokens = { shape: { made: 0 }, tokens: [{ id: 'a-token', as: 'id' }] } as const
  const reaction = { kind: 'answered', tokens, raw: { part: true } } as const
  queue.webhooks.start({ perform: async () => ({ reaction }) })
  await queue.accept({ callbackUrl: receiver.origin, reactor: 'r' })
  await queue.clock.advance(0)
  t.equal(receiver.received.length, 0, 'what has no body is not sent')
  await queue.clock.advance(hour)
  t.equal(receiver.received.length, 1)
  const store = await queue.store()
  await store.commit([store.insert('token', { id: 'a-token' })], queue.clock.nowUs())
  for (const _ of [2, 3]) await queue.clock.advance(hour)
  t.equal(receiver.received.length, 3)
  t.equal(new Set(receiver.received.map(({ body }) => body.toString())).size, 1)
  const [body] = receiver.bodies()
  t.same(body, { tokens: { made: null }, raw: { part: true } })
})

t.test('a secret that changed signs the next attempt', async t => {
  const receiver = await openReceiver(t, (_, __, count) => (count === 1 ? 500 : 200))
  const queue = await openQueue(t, { performer: answering(answer) })
  await queue.accept({ callbackUrl: receiver.origin })
  await queue.clock.advance(0)
  const old = await queue.secret()
  const next = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const { records, random, clock } = queue.parts
  await writeTenant({ records, random, clock }, tenantA, { webhook_secret: next })
  await queue.clock.advance(hour)
  const [first, second] = receiver.received
  if (!first || !second) throw new Error('both have arrived')
  t.same(await sdk.verify(first.body, first.headers, old), answer)
  t.same(await sdk.verify(second.body, second.headers, next), answer)
})
