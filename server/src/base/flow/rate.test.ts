import t from 'tap'
import { Admission } from './admission.ts'
import { Rate } from './rate.ts'

/** A clock that runs each task when it is moved to its time. */
function handClock() {
  const tasks: { readonly dueMs: number; readonly task: () => Promise<void> }[] = []
  const clock = { ms: 0 }
  return {
    tasks,
    nowMs: () => clock.ms,
    at(dueMs: number, task: () => Promise<void>) {
      tasks.push({ dueMs, task })
      return () => {}
    },
    async move(ms: number) {
      clock.ms = ms
      for (const due of tasks.filter(({ dueMs }) => dueMs <= ms)) {
        tasks.splice(tasks.indexOf(due), 1)
        await due.task()
      }
    },
  }
}

t.test('so much is admitted in a minute, which begins with the first', async t => {
  const clock = handClock()
  const admission = new Admission('lookups', { application: 2 })
  const rate = new Rate(admission, clock)
  await clock.move(5_000)
  rate.demand({ application: 'a' })
  await clock.move(64_500)
  rate.demand({ application: 'a' })
  t.throws(() => rate.demand({ application: 'a' }), {
    code: 'rate_limited',
    message: 'too many lookups in this minute',
    headers: { 'Retry-After': '1' },
  })
  rate.demand({ application: 'b' })
  t.equal(clock.tasks.length, 1, 'one timer for all')
  await clock.move(65_000)
  t.equal(admission.total, 0)
  t.equal(clock.tasks.length, 0, 'nothing is left while nothing is asked')
  rate.demand({ application: 'a' })
  rate.demand({ application: 'a' })
  t.throws(() => rate.demand({ application: 'a' }), {
    code: 'rate_limited',
    headers: { 'Retry-After': '60' },
  })
})
