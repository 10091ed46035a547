import t from 'tap'
import { parseExpiration, readExpiration } from './expiry.ts'

const accepted: readonly [text: string, echo: string, iso: string][] = [
  ['2030-08-26T07:23:57-07:00', '2030-08-26T07:23:57-07:00', '2030-08-26T14:23:57.000Z'],
  ['2030-08-26T07:23:57Z', '2030-08-26T07:23:57Z', '2030-08-26T07:23:57.000Z'],
  ['2030-08-26T07:23:57', '2030-08-26T07:23:57Z', '2030-08-26T07:23:57.000Z'],
  ['2030-08-26T07:23', '2030-08-26T07:23:00Z', '2030-08-26T07:23:00.000Z'],
  ['2030-08-26T07:23:57.5+05:45', '2030-08-26T07:23:57.5+05:45', '2030-08-26T01:38:57.500Z'],
  ['2030-08-26T07:23:57.1234567Z', '2030-08-26T07:23:57.1234567Z', '2030-08-26T07:23:57.124Z'],
  ['2030-08-26', '2030-08-26T00:00:00Z', '2030-08-26T00:00:00.000Z'],
  ['8/26/2030', '2030-08-26T00:00:00Z', '2030-08-26T00:00:00.000Z'],
  ['08/06/2030', '2030-08-06T00:00:00Z', '2030-08-06T00:00:00.000Z'],
  ['8/26/2030 7:23:57 PM', '2030-08-26T19:23:57Z', '2030-08-26T19:23:57.000Z'],
  ['8/26/2030 12:00:00 AM', '2030-08-26T00:00:00Z', '2030-08-26T00:00:00.000Z'],
  ['8/26/2030 12:00:00 PM', '2030-08-26T12:00:00Z', '2030-08-26T12:00:00.000Z'],
  ['8/26/2030 7:23:57 AM -07:00', '2030-08-26T07:23:57-07:00', '2030-08-26T14:23:57.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
]

const refused = [
  '',
  'tomorrow',
  '2030',
  '2030-8-26',
  '2030-02-30',
  '2029-02-29',
  '2030-13-01',
  '2030-00-10',
  '2030-08-26T24:00:00Z',
  '2030-08-26T23:60:00Z',
  '2030-08-26T23:59:60Z',
  '2030-08-26 07:23:57',
  '2030-08-26T07:23:57+24:00',
  '2030-08-26T07:23:57+0700',
  '26/8/2030',
  '8/26/30',
  '8/26/2030 13:00:00 PM',
  '8/26/2030 0:00:00 AM',
  '8/26/2030 7:23 PM',
  '8/26/2030 7:23:57',
  ' 2030-08-26',
  '2030-08-26\n',
  '1913932800000',
]

t.test('each spelling is the instant it says, echoed in ISO 8601 with its offset', async t => {
  for (const [text, echo, iso] of accepted) {
    const read = parseExpiration(text)
    t.equal(read?.echo, echo, text)
    t.equal(read && new Date(read.ms).toISOString(), iso, text)
  }
})

t.test('anything else is no expiration', async t => {
  for (const text of refused) t.equal(parseExpiration(text), undefined, JSON.stringify(text))
})

t.test('an expiration lies in the future, to the millisecond', async t => {
  const now = Date.UTC(2030, 7, 26) * 1000
  t.throws(() => readExpiration('2030-08-26', now), {
    code: 'validation',
    errors: { expires_at: [/future/] },
  })
  t.equal(readExpiration('2030-08-26T00:00:00.001Z', now).ms, now / 1000 + 1)
  t.throws(() => readExpiration('never', now), { code: 'validation', errors: { expires_at: [/ISO 8601/] } })
})
