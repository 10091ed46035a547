import fc from 'fast-check'
import t from 'tap'
import { formatMicros, parseDateTime, parseMicros, readMoment } from './date-time.ts'

t.test('a date-time is read with any offset, a date as its midnight', async t => {
  const ms = Date.parse('2026-01-31T09:30:00Z')
  t.match(parseDateTime('2026-01-31T09:30'), { ms, fraction: '', offset: undefined, isDate: false })
  t.match(parseDateTime('2026-01-31T10:30:00,25+01'), { ms, fraction: '25', offset: '+01' })
  t.match(parseDateTime('2026-01-31T03:45:00-0545'), { ms, local: '2026-01-31T03:45:00', offset: '-0545' })
  const found = parseDateTime('2026-01-31')
  t.match(found, { ms: Date.parse('2026-01-31'), local: '2026-01-31T00:00:00', isDate: true })
  t.match(parseDateTime('0000-01-01'), { ms: Date.parse('0000-01-01T00:00:00Z') })
})

t.test('other texts and days that are not in the calendar are refused', async t => {
  for (const text of [
    '',
    '2026-02-29',
    '2026-13-01',
    '2026-01-31T24:00',
    '2026-01-31T09:60',
    '2026-01-31T09:30:60Z',
    '2026-01-31T09:30:00.Z',
    '2026-01-31T09:30+24:00',
    '2026-01-31T09:30+01:60',
    '2026-01-31Z',
    ' 2026-01-31',
    '20260131',
  ])
    t.equal(parseDateTime(text), undefined, text)
})

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

t.test('dates are days, date-times are microseconds', async t => {
  const us = (iso: string, micros = 0) => Date.parse(iso) * 1000 + micros
  const instant = (at: number) => ({ fromUs: at, toUs: at })
  const found = readMoment('2026-01-31')
  t.same(found, { fromUs: us('2026-01-31T00:00:00Z'), toUs: us('2026-02-01T00:00:00Z', -1) })
  t.same(readMoment('2024-02-29')?.fromUs, us('2024-02-29T00:00:00Z'), 'a leap day')
  t.same(readMoment('2026-01-31T09:30:00.123456Z'), instant(us('2026-01-31T09:30:00.123Z', 456)))
  t.same(readMoment('2026-01-31T09:30:00,5Z'), instant(us('2026-01-31T09:30:00.500Z')))
  t.same(readMoment('2026-01-31T09:30:00.123456000Z'), instant(us('2026-01-31T09:30:00.123Z', 456)))
  for (const spelling of ['2026-01-31T09:30', '2026-01-31T09:30:00', '2026-01-31T09:30:00+00:00'])
    t.same(readMoment(spelling), instant(us('2026-01-31T09:30:00Z')), spelling)
  t.same(readMoment('1969-12-31T23:59:59.999999Z'), instant(-1), 'before the epoch')
})

t.test('what lies between two microseconds is neither, and still lies between them', async t => {
  const below = readMoment('1970-01-01T00:00:00.000001Z')?.toUs
  const above = readMoment('1970-01-01T00:00:00.000002Z')?.fromUs
  t.same(readMoment('1970-01-01T00:00:00.0000015Z'), { fromUs: above, toUs: below })
})

t.test('days that are none are refused', async t => {
  for (const text of [
    '2026-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
    '2026-01-31T',
    '',
  ])
    t.equal(readMoment(text), undefined, text)
})
