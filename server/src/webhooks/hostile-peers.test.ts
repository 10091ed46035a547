import t from 'tap'
import { hostilePeers, openPeer, patientMs } from '../../verify/support/hostile-peers.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { type CallbackSender, createCallbackSender } from '../egress/callback-sender.ts'
import { answering, openQueue } from './_fixture.ts'
import type { ScheduleRecord } from './job.ts'

const one = { total: 1, tenant: 1 }

t.test('whatever a receiver does, its attempt ends in time, and the next delivery has its slot', async t => {
  const honest = await openReceiver(t)
  const sender = (timeoutMs: number) => createCallbackSender({ allowPrivate: true, timeoutMs })
  const [quick, patient] = [sender(200), sender(patientMs)]
  let isSilent = false
  const send: CallbackSender = callback =>
    (isSilent && !callback.url.startsWith(honest.origin) ? quick : patient)(callback)
  const queue = await openQueue(t, {
    performer: answering({ raw: 'x'.repeat(500_000) }),
    parts: { send, limits: { waiting: one, delivery: one } },
  })
  const store = await queue.store()
  for (const [at, description] of hostilePeers.entries()) {
    const peer = await openPeer(t, description)
    isSilent = peer.head === 'time'
    await queue.accept({ callbackUrl: peer.origin })
    await queue.accept({ callbackUrl: honest.origin })
    await queue.clock.advance(0)
    t.equal(honest.received.length, at + 1, `after ${peer.name}`)
    await peer.left()
    const page = { nowMs: 0, offset: 0, limit: 10 }
    const { records } = await store.find<ScheduleRecord>('job', { op: 'all' }, page)
    t.same(
      records.map(({ value }) => [value.stage, value.failures]),
      peer.head === 200 ? [] : [['delivery', 1]],
      `${peer.name}: ${peer.head === 200 ? 'delivered' : 'to be tried again'}`,
    )
    for (const record of records) {
      const rest = await store.removal('job-content', record.value.id)
      await store.commit([store.remove('job', record.value.id, record.version), ...rest], queue.clock.nowUs())
    }
  }
})
