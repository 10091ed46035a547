import { minute, times } from '../values.ts'
import { type Cell, matrix } from './cell.ts'

const retryCell: Cell = {
  requirement: 'INV-514',
  name: 'all',
  title: 'a delivery that is always refused is retried ten times in about two and a half hours',
  needs: ['management', 'callbacks', 'clock'],
  async run(c) {
    const reactor = await c.reactor()
    const box = (await c.inbox()).open(times(20, () => 500))
    c.success(await c.react(reactor, { args: {}, callback_url: box.url }), 202)
    await c.eventually(async () => box.deliveries[0], 'the first delivery')
    const step = 6
    let passed = 0
    for (; passed < 60 && box.deliveries.length < 11; passed++) await c.advance(step * minute)
    c.equal(box.deliveries.length, 11, 'deliveries')
    // Early retries fall together within one step.
    const hours = (passed * step) / 60
    c.ok(hours > 1.5 && hours < 4.5, `the last is sent after ${hours.toFixed(1)} hours`)
    await c.advance(600 * minute)
    const other = (await c.inbox()).open()
    c.success(await c.react(reactor, { args: {}, callback_url: other.url }), 202)
    await c.eventually(async () => other.deliveries[0], 'the delivery of another')
    c.equal(box.deliveries.length, 11, 'deliveries in the end')
  },
}

/** How often and when deliveries are retried. */
export const retryCases = matrix([retryCell])
