import { cases, type Row } from '../../harness/case.ts'
import { atOffset, isLuhn, times } from '../values.ts'

/** Accepted expiries, and how they are returned. */
const expiries: Readonly<Record<string, string>> = {
  '2099-06-01': '2099-06-01T00:00:00Z',
  '2096-02-29': '2096-02-29T00:00:00Z',
  '2099-12-31T23:59:59': '2099-12-31T23:59:59Z',
  '2099-06-01T12:00:00Z': '2099-06-01T12:00:00Z',
  '2099-06-01t12:00:00z': '2099-06-01T12:00:00Z',
  '2099-06-01 12:00:00': '2099-06-01T12:00:00Z',
  '2099-06-01 12:00:00+02:00': '2099-06-01T12:00:00+02:00',
  '2099-06-01T12:00:00.5Z': '2099-06-01T12:00:00.5Z',
  '2099-06-01T12:00:00.123456789Z': '2099-06-01T12:00:00.123456789Z',
  '2099-06-01T12:00:00.123456789+23:59': '2099-06-01T12:00:00.123456789+23:59',
  '2099-06-01T12:00:00-00:00': '2099-06-01T12:00:00-00:00',
  '2099-06-01T00:00:00+14': '2099-06-01T00:00:00+14:00',
  '2099-06-01T00:00:00-0930': '2099-06-01T00:00:00-09:30',
  '1/1/2099': '2099-01-01T00:00:00Z',
  '12/31/2099': '2099-12-31T00:00:00Z',
  '01/02/2099': '2099-01-02T00:00:00Z',
  '6/1/2099 12:00:00 AM': '2099-06-01T00:00:00Z',
  '6/1/2099 1:00:00 AM': '2099-06-01T01:00:00Z',
  '6/1/2099 11:59:59 AM': '2099-06-01T11:59:59Z',
  '6/1/2099 12:00:00 PM': '2099-06-01T12:00:00Z',
  '6/1/2099 1:00:00 PM': '2099-06-01T13:00:00Z',
  '6/1/2099 11:59:59 PM': '2099-06-01T23:59:59Z',
  '6/1/2099 1:00:00 PM +2': '',
}
const refused: readonly string[] = [
  ...Object.keys(expiries).filter(given => expiries[given] === ''),
  '2099-02-29',
  '2099-00-01',
  '2099-13-01',
  '2099-01-00',
  '2099-01-32',
  '2099-04-31',
  '2099-06-01T24:00:00Z',
  '2099-06-01T23:60:00Z',
  '2099-06-01T23:59:61Z',
  '2099-06-01T12:00:00.1234567890Z',
  '2099-06-01T12:00:00.Z',
  '2099-06-01T12:00Z ',
  '2099-06-01  12:00:00Z',
  '2099-06-01 12:00:00 Z',
  '2099-06-01T12:00:00+24:00',
  '2099-06-01T12:00:00+12:60',
  '2099-6-1',
  '20990601',
  '13/1/2099',
  '0/1/2099',
  '1/0/2099',
  '2/29/2099',
  '6/1/99',
  '6/1/2099 0:00:00 AM',
  '6/1/2099 13:00:00 PM',
  '6/1/2099 1:60:00 PM',
  '6/1/2099 1:00:00',
  '6/1/2099 1:00 PM',
  'tomorrow',
  '',
]

const expiryCells = cases({
  'TOK-507.accepted: each accepted spelling of an expiry is returned in ISO 8601': async c => {
    for (const [given, shown] of Object.entries(expiries)) {
      if (shown !== '') c.equal((await c.token({ expires_at: given })).expires_at, shown, given)
    }
  },
  'TOK-507.refused: an expiry in another spelling, or on a day or at a time that does not exist, is refused':
    async c => {
      for (const expires_at of refused)
        c.refused(
          await c.asPrivate('POST', '/tokens', { type: 'token', data: 1, expires_at }),
          400,
          `"${expires_at}"`,
        )
    },
})

const instantCell = cases({
  'TOK-530.instants: an expiry is the instant that its offset says': async c => {
    const now = await c.now()
    const create = (expires_at: string) =>
      c.asPrivate('POST', '/tokens', { type: 'token', data: 1, expires_at, containers: [c.container] })
    // Less than a minute, so that a minute too many or too few is noticed.
    const near = 50_000
    for (const offset of ['+00:00', '+14:00', '-09:30', '+05:45', '-00:30', '+14', '-05']) {
      c.success(await create(atOffset(now + near, offset)), 201, `50 seconds ahead, ${offset}`)
      c.refused(await create(atOffset(now - near, offset)), 400, `50 seconds ago, ${offset}`)
    }
  },
})

/** Endings of names, and filters that are compared with all of them. */
const endings = ['abcabc', 'abc', 'ac', 'ABC D', 'aXbXc', 'bca', 'É']
const filters = [
  'abc',
  'ABC',
  '*abc',
  '*ABC*',
  'abc*',
  'a*c',
  'a*b*c',
  'a**c',
  'ab*bc',
  '*ab*bc',
  '*ab*ab*',
  '*abc*abc',
  '*abc*c',
  '*b*b*',
  '*bc*ab*bc',
  '*a*b*c*d',
  'é',
  '*É',
  '* d',
  'x*c',
]

/** How a filter is meant: `*` stands for any characters, and without one the filter matches anywhere. */
function isMatch(filter: string, name: string): boolean {
  const parts = filter.split('*')
  const pattern = parts.length > 1 ? `^${parts.join('.*')}$` : filter
  return new RegExp(pattern, 'iu').test(name)
}

const lists = {
  formulas: { path: '/reactor-formulas', requirement: 'FOR-505' },
  reactors: { path: '/reactors', requirement: 'FOR-505' },
} as const

const filterCells = Object.entries(lists).map(
  ([kind, { path, requirement }]): Row => [
    `${requirement}.${kind} [management]: name filters of ${kind} match as their wildcards say`,
    async c => {
      const formula = kind === 'reactors' ? { id: (await c.formula({ name: 'other' })).id } : undefined
      for (const ending of endings) {
        const name = `${c.tag} ${ending}`
        if (formula) await c.reactor({}, { name, formula })
        else await c.formula({ name })
      }
      const names = endings.map(ending => `${c.tag} ${ending}`)
      for (const filter of filters) {
        // A filter that begins with a wildcard has the tag after it, or it would find what others made.
        const whole = filter.startsWith('*') ? `*${c.tag} ${filter}` : `${c.tag} ${filter}`
        const reply = await c.asManagement('GET', `${path}?size=100&name=${encodeURIComponent(whole)}`)
        const { data, pagination } = c.success(reply, 200).body
        const expected = names.filter(name => isMatch(whole, name)).sort()
        c.equal(data.map((one: { name: string }) => one.name).sort(), expected, `names for ${filter}`)
        c.equal(pagination.total_items, expected.length, `total_items for ${filter}`)
      }
    },
  ],
)

/** Numbers with check digits, by type: valid ones, and the same with each digit changed. */
const numbers: Readonly<Record<string, readonly string[]>> = {
  card_number: [
    ...times(7, index => withCheckDigit(`4${'0123456789'.repeat(2)}`.slice(0, 12 + index))),
    '378282246310005',
    '6011111111111117',
    '0000000000000000',
  ],
  us_bank_routing_number: ['110000000', '021000021', '011401533', '091000019', '123456780', '000000000'],
}

function withCheckDigit(digits: string): string {
  for (let check = 0; ; check++) if (isLuhn(`${digits}${check}`)) return `${digits}${check}`
}
const numberCells = Object.entries(numbers).map(
  ([type, valid]): Row => [
    `TYP-502.digits-${type}: a ${type} is accepted with its check digit, and refused with any digit changed`,
    async c => {
      const create = (data: string) =>
        c.asPrivate('POST', '/tokens', { type, data, containers: [c.container] })
      for (const number of valid) c.success(await create(number), 201, number)
      const [sample = ''] = valid
      for (const index of sample.split('').keys()) {
        const digit = String((Number(sample[index]) + 1) % 10)
        c.refused(
          await create(sample.slice(0, index) + digit + sample.slice(index + 1)),
          400,
          `digit ${index}`,
        )
      }
    },
  ],
)

/** Spellings of dates, names and numbers. */
export const spellingCases = cases([...expiryCells, ...instantCell, ...filterCells, ...numberCells])
