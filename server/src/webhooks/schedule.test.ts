import t from 'tap'
import { limits } from '../generated/facts.ts'
import { retryDelayMs } from './schedule.ts'

const failures = Array.from({ length: limits.webhookRetries }, (_, index) => index + 1)
const total = (chance: number) =>
  failures.reduce((sum, n) => sum + (retryDelayMs(n, chance) ?? Number.NaN), 0)
const hour = 3_600_000

t.test('ten retries take about two and a half hours, each twice as long after the one before', async t => {
  t.equal(limits.webhookRetries, 10)
  t.ok(Math.abs(total(0.5) - 2.5 * hour) < 0.1 * hour, `${total(0.5) / hour} hours`)
  for (const n of failures.slice(1)) {
    t.equal(retryDelayMs(n, 0.5), 2 * (retryDelayMs(n - 1, 0.5) ?? 0))
  }
  t.equal(retryDelayMs(limits.webhookRetries + 1, 0.5), undefined)
})

t.test('chance makes each a fifth longer or shorter, no more', async t => {
  t.equal(retryDelayMs(1, 0), 7200)
  t.equal(retryDelayMs(1, 1), 10_800)
  t.ok(total(0) > 2 * hour && total(1) < 3.1 * hour)
})
