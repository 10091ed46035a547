import t from 'tap'
import { readMoment } from './date-time.ts'

t.test('dates are days, date-times are microseconds', async t => {
  const us = (iso: string, micros = 0) => Date.parse(iso) * 1000 + micros
  const instant = (at: number) => ({ fromUs: at, toUs: at })
  t.same(readMoment('2026-01-31'), {
    fromUs: us('2026-01-31T00:00:00Z'),
    toUs: us('2026-02-01T00:00:00Z', -1),
  })
  t.same(readMoment('2024-02-29')?.fromUs, us('2024-02-29T00:00:00Z'), 'a leap day')
  t.same(readMoment('2026-01-31T09:30:00.123456Z'), instant(us('2026-01-31T09:30:00.123Z', 456)))
  t.same(readMoment('2026-01-31T09:30:00,5Z'), instant(us('2026-01-31T09:30:00.500Z')))
  t.same(readMoment('2026-01-31T09:30:00.123456000Z'), instant(us('2026-01-31T09:30:00.123Z', 456)))
  for (const spelling of ['2026-01-31T09:30', '2026-01-31T09:30:00', '2026-01-31T09:30:00+00:00']) {
    t.same(readMoment(spelling), instant(us('2026-01-31T09:30:00Z')), spelling)
  }
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
