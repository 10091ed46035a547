import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { bank, card, hour, minute } from './values.ts'

/** Specification, section 2.2: the data of each type. */
const refusesData = (c: Context, type: string, control: unknown, mutations: Record<string, unknown>) =>
  c.refuses(400, data => c.asPrivate('POST', '/tokens', { type, data }), control, mutations)

export const dataCases = cases({
  'DAT-001.a: a routing number with a wrong checksum is refused': c =>
    refusesData(c, 'bank', bank, {
      'a wrong last digit': { ...bank, routing_number: '110000001' },
      'two digits exchanged': { ...bank, routing_number: '101000000' },
    }),
  'DAT-002.a: a routing number of eight or ten digits is refused': c =>
    refusesData(c, 'bank', bank, {
      'eight digits': { ...bank, routing_number: '11000000' },
      'ten digits': { ...bank, routing_number: '1100000000' },
      'a letter': { ...bank, routing_number: '11000000a' },
      'a number': { ...bank, routing_number: 110000000 },
    }),
  'DAT-003.a: an account number of eighteen digits is refused, one of seventeen accepted': c =>
    refusesData(
      c,
      'bank',
      { ...bank, account_number: '12345678901234567' },
      {
        'eighteen digits': { ...bank, account_number: '123456789012345678' },
        'a letter': { ...bank, account_number: '1234567890123456x' },
      },
    ),
  'DAT-004.a: bank data without one of its two numbers is refused': c =>
    refusesData(c, 'bank', bank, {
      'no routing number': { account_number: bank.account_number },
      'no account number': { routing_number: bank.routing_number },
    }),
  'DAT-005.a: a card without a number is refused': c =>
    refusesData(c, 'card', card, { 'no number': { expiration_month: 12, expiration_year: 2030 } }),
  'DAT-006.a: a card number with separators is refused': c =>
    refusesData(c, 'card', card, {
      blanks: { ...card, number: '4242 4242 4242 4242' },
      hyphens: { ...card, number: '4242-4242-4242-4242' },
    }),
  'DAT-007.a: a card can be stored without and with its expiration': async c => {
    const { id } = await c.token({ type: 'card', data: { number: card.number } })
    c.equal((await c.read(id)).data?.number, card.number, 'number')
    const dated = await c.token({ type: 'card', data: card })
    c.matches((await c.read(dated.id)).data, card, 'data')
  },
  'DAT-007.b: an expiration that is not a month and a year is refused': c =>
    refusesData(c, 'card', card, {
      'a month of three digits': { ...card, expiration_month: 100 },
      'a month in letters': { ...card, expiration_month: 'December' },
      'a year of two digits': { ...card, expiration_year: 30 },
      'a year of five digits': { ...card, expiration_year: 20300 },
    }),
  'DAT-008.a: only a cvc of three or four digits is accepted': async c => {
    await c.token({ type: 'card', data: { ...card, cvc: '1234' } })
    await refusesData(
      c,
      'card',
      { ...card, cvc: '123' },
      {
        'two digits': { ...card, cvc: '12' },
        'five digits': { ...card, cvc: '12345' },
        'a letter': { ...card, cvc: '12a' },
      },
    )
  },
  'DAT-009.a: an hour after its creation a card has all its members except the cvc': async c => {
    const { id } = await c.token({ type: 'card', data: { ...card, cvc: '123' } })
    c.matches((await c.read(id)).data, { ...card, cvc: '123' }, 'data before')
    await c.advance(hour)
    const gone = await c.eventually(async () => {
      const { data } = await c.read(id)
      return data?.cvc === undefined || data.cvc === null ? data : undefined
    }, 'the deletion of the cvc')
    c.matches({ ...gone, cvc: undefined }, card, 'data after')
  },
  'LIM-001.a: after 55 minutes the cvc still exists': async c => {
    const { id } = await c.token({ type: 'card', data: { ...card, cvc: '123' } })
    await c.advance(hour - 5 * minute)
    c.equal((await c.read(id)).data?.cvc, '123', 'cvc')
  },
  'DAT-010.a: objects, arrays, strings, integers and booleans are returned as they were sent': async c => {
    const values = [
      { a: { b: [1, 'x', null] } },
      [1, [2]],
      'Grüße 🙂 "\\',
      0,
      -7,
      9007199254740991,
      true,
      false,
    ]
    for (const data of values) {
      const { id } = await c.token({ data, fingerprint_expression: c.tag })
      c.equal((await c.read(id)).data, data, 'data')
    }
    // An empty string may count as missing data.
    const empty = await c.asPrivate('POST', '/tokens', { type: 'token', data: '' })
    c.surrogate(() => c.success(empty, 201, 'an empty string'))
    if (empty.status < 300) c.equal((await c.read(empty.body?.id)).data, '', 'an empty string when read')
  },
})
