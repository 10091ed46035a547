import fc from 'fast-check'
import t from 'tap'
import { formatMicros, parseMicros } from './date-time.ts'

t.test('microseconds are shown with six decimals in UTC', async t => {
  t.equal(formatMicros(1769851800123456), '2026-01-31T09:30:00.123456Z')
  t.equal(formatMicros(1769851800000000), '2026-01-31T09:30:00.000000Z')
  t.equal(formatMicros(1769851800000001), '2026-01-31T09:30:00.000001Z')
})

t.test('any time is shown as the date of its milliseconds, whatever was shown before', async t => {
  const within = (us: number) => fc.integer({ min: -us, max: us })
  const twoCenturies = 6.3e15
  const property = fc.property(fc.oneof(within(twoCenturies), within(30e6)), us => {
    const ms = Math.floor(us / 1000)
    const digits = String(us - ms * 1000).padStart(3, '0')
    t.equal(formatMicros(us), new Date(ms).toISOString().replace('Z', `${digits}Z`))
  })
  fc.assert(property)
})

t.test('a date-time is read to the microsecond, in any offset', async t => {
  t.equal(parseMicros('2026-01-31T09:30:00.123456Z'), 1769851800123456)
  t.equal(parseMicros('2026-01-31T10:30:00.123456789+01:00'), 1769851800123456)
  t.equal(parseMicros('2026-01-31T09:30:00.5Z'), 1769851800500000)
  t.equal(parseMicros('2026-01-31T09:30:00Z'), 1769851800000000)
})
