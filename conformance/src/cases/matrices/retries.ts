import { cases } from '../../harness/case.ts'
import { minute, times } from '../values.ts'

/** How often and when deliveries are retried. */
export const retryCases = cases({
  'INV-514.all [management, callbacks, clock]: a delivery that is always refused is retried ten times in about two and a half hours':
    async c => {
      const reactor = await c.reactor()
      const refusing = times(20, () => 500)
      const { box } = await c.delivered(reactor, {}, refusing)
      const step = 6
      let passed = 0
      for (; passed < 60 && box.deliveries.length < 11; passed++) await c.advance(step * minute)
      c.equal(box.deliveries.length, 11, 'deliveries')
      // Early retries fall together within one step. With the least jitter, it is a little more than two hours.
      const hours = (passed * step) / 60
      c.ok(hours > 2 && hours < 4.2, 'the last is sent after 2 to 4.2 hours', hours)
      await c.advance(600 * minute)
      await c.delivered(reactor)
      c.equal(box.deliveries.length, 11, 'deliveries in the end')
    },
  'INV-514.statuses [management, callbacks, clock]: a delivery is repeated after each response outside 200 to 299':
    async c => {
      const reactor = await c.reactor()
      const { box } = await c.delivered(reactor, {}, [300, 404, 299])
      await c.eventually(async () => {
        if (box.deliveries.length < 3) await c.advance(20 * minute)
        return box.deliveries[2]
      }, 'the third delivery')
      await c.advance(60 * minute)
      // A fourth would arrive before the delivery of another invocation.
      await c.delivered(reactor)
      c.equal(box.deliveries.length, 3, 'deliveries in the end')
    },
})
