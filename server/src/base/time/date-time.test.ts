import t from 'tap'
import { parseDateTime } from './date-time.ts'

t.test('a date-time is read with any offset, a date as its midnight', async t => {
  const ms = Date.parse('2026-01-31T09:30:00Z')
  t.match(parseDateTime('2026-01-31T09:30'), { ms, fraction: '', offset: undefined, isDate: false })
  t.match(parseDateTime('2026-01-31T10:30:00,25+01'), { ms, fraction: '25', offset: '+01' })
  t.match(parseDateTime('2026-01-31T03:45:00-0545'), { ms, local: '2026-01-31T03:45:00', offset: '-0545' })
  t.match(parseDateTime('2026-01-31'), {
    ms: Date.parse('2026-01-31'),
    local: '2026-01-31T00:00:00',
    isDate: true,
  })
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
