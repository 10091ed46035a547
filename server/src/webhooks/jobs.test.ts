import t from 'tap'
import { openReceiver } from '../../verify/support/receiver.ts'
import { answering, openQueue } from './_fixture.ts'

t.test('a job that is canceled while its formula runs commits and delivers nothing', async t => {
  const receiver = await openReceiver(t)
  let go = () => {}
  let begun = () => {}
  const running = new Promise<void>(resolve => {
    begun = resolve
  })
  const { perform } = answering({ raw: 'done' })
  const queue = await openQueue(t, {
    performer: {
      perform: async (...given) => {
        begun()
        await new Promise<void>(resolve => {
          go = resolve
        })
        return perform(...given)
      },
    },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  const advancing = queue.clock.advance(0)
  await running
  const store = await queue.store()
  const { records } = await store.find('job', { op: 'all' }, { nowMs: 0, offset: 0, limit: 1 })
  const { cancelJob } = await import('./jobs.ts')
  const caller = { tenant: store.tenant, application: 'an-application' } as Parameters<typeof cancelJob>[1]
  await cancelJob(queue.context, caller, records[0]?.value.id ?? '')
  go()
  await advancing
  t.equal(receiver.received.length, 0)
  t.same(await queue.left(), [0, 0])
})
