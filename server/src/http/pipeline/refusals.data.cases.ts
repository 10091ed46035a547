import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import {
  cardNumber,
  deepestContainer,
  longestContainer,
  type Refusal,
  type Shot,
  text,
  tooDeepContainer,
  tooLongContainer,
  validation,
} from './refusals.cases.ts'

const post = (body: JsonValue): Shot => ({ method: 'POST', path: '/tokens', body })
const patch = (id: string, body: JsonValue): Shot => ({ method: 'PATCH', path: `/tokens/${id}`, body })

/** A new token of some type with data that does not fit it. */
function data(name: string, type: string, bad: JsonValue, good: JsonValue, at = 'data'): Refusal {
  const named = `${type}: ${name}`
  return {
    name: named,
    refused: post({ type, data: bad }),
    control: post({ type, data: good }),
    at,
    ...validation,
  }
}

function card(name: string, bad: JsonObject, good: JsonObject, at: string): Refusal {
  const number = '4242424242424242'
  return data(name, 'card', { number, ...bad }, { number, ...good }, at)
}

/** A patch of the card or the note that are there. */
function change(name: string, id: string, bad: JsonValue, good: JsonValue, at?: string): Refusal {
  const refusal = { name: `patch: ${name}`, refused: patch(id, bad), control: patch(id, good), ...validation }
  return at === undefined ? refusal : { ...refusal, at }
}

const number = '4242424242424242'
const [past, future] = ['2020-01-01', '2099-01-01']
const bank = { routing_number: '110000000', account_number: '000123456789' }

/** Requirements of each type on its data, at creation and change. */
export const dataRefusals: readonly Refusal[] = [
  data('a text', 'card', number, { number }),
  data('no number', 'card', { cvc: '123' }, { cvc: '123', number }, 'data.number'),
  card('number null', { number: null }, {}, 'data.number'),
  card('number that is one', { number: 4242424242424242 }, {}, 'data.number'),
  card('wrong check digit', { number: '4242424242424241' }, {}, 'data.number'),
  card('number with spaces', { number: '4242 4242 4242 4242' }, {}, 'data.number'),
  card('11 digits', { number: cardNumber(11) }, { number: cardNumber(12) }, 'data.number'),
  card('20 digits', { number: cardNumber(20) }, { number: cardNumber(19) }, 'data.number'),
  card('month 0', { expiration_month: 0 }, { expiration_month: 1 }, 'data.expiration_month'),
  card('month 13', { expiration_month: 13 }, { expiration_month: 12 }, 'data.expiration_month'),
  card('month a fraction', { expiration_month: 1.5 }, { expiration_month: 1.0 }, 'data.expiration_month'),
  card('month a text', { expiration_month: '12' }, { expiration_month: 12 }, 'data.expiration_month'),
  card('year of three digits', { expiration_year: 999 }, { expiration_year: 1000 }, 'data.expiration_year'),
  card('year of five digits', { expiration_year: 10000 }, { expiration_year: 9999 }, 'data.expiration_year'),
  card('year a text', { expiration_year: '2030' }, { expiration_year: 2030 }, 'data.expiration_year'),
  card('cvc of two digits', { cvc: '12' }, { cvc: '123' }, 'data.cvc'),
  card('cvc of five digits', { cvc: '12345' }, { cvc: '1234' }, 'data.cvc'),
  card('cvc of letters', { cvc: 'abc' }, { cvc: '123' }, 'data.cvc'),
  card('cvc a number', { cvc: 123 }, { cvc: '123' }, 'data.cvc'),
  card('a member it does not have', { holder: 'Jane Roe-Dupont' }, { cvc: '123' }, 'data.holder'),
  card('a member that may be a card', { [number]: 'Jane Roe-Dupont' }, {}, 'data.?'),

  data('no routing number', 'bank', { account_number: '000123456789' }, bank, 'data.routing_number'),
  data('no account number', 'bank', { routing_number: '110000000' }, bank, 'data.account_number'),
  data('wrong checksum', 'bank', { ...bank, routing_number: '110000001' }, bank, 'data.routing_number'),
  data('8 digits', 'bank', { ...bank, routing_number: '11000000' }, bank, 'data.routing_number'),
  data(
    '18 digits',
    'bank',
    { ...bank, account_number: text(18, '7') },
    { ...bank, account_number: text(17, '7') },
    'data.account_number',
  ),
  data(
    'no digits',
    'bank',
    { ...bank, account_number: '' },
    { ...bank, account_number: '1' },
    'data.account_number',
  ),
  data(
    'letters',
    'bank',
    { ...bank, account_number: '12AB34' },
    { ...bank, account_number: '123434' },
    'data.account_number',
  ),
  data('a member it does not have', 'bank', { ...bank, iban: 'DE89370400440532013000' }, bank, 'data.iban'),

  data('an object', 'card_number', { number }, number),
  data('wrong check digit', 'card_number', '4242424242424241', number),
  data('12 digits', 'card_number', cardNumber(12), cardNumber(13)),
  data('20 digits', 'card_number', cardNumber(20), cardNumber(19)),
  data('2 digits', 'us_bank_account_number', '12', '123'),
  data('18 digits', 'us_bank_account_number', text(18, '7'), text(17, '7')),
  data('a number', 'us_bank_account_number', 123456, '123456'),
  data('wrong checksum', 'us_bank_routing_number', '021000022', '021000021'),
  data('10 digits', 'us_bank_routing_number', '0210000210', '021000021'),
  ...['social_security_number', 'employer_id_number'].flatMap(type => [
    data('8 digits', type, '123-45-678', '123-45-6789'),
    data('10 digits', type, '123-45-67890', '123-45-6789'),
    data('a hyphen at its end', type, '123-45-6789-', '123-45-6789'),
    data('two hyphens in a row', type, '123--456789', '123-456789'),
    data('spaces', type, '123 45 6789', '123-45-6789'),
    data('a number', type, 123456789, '123456789'),
  ]),
  ...(
    [
      ['card', { number }],
      ['bank', bank],
      ['card_number', number],
      ['us_bank_account_number', '123456'],
      ['us_bank_routing_number', '021000021'],
    ] as const
  ).map(([type, value]): Refusal => {
    const [refused, control] = [['a'], []].map(search_indexes => post({ type, data: value, search_indexes }))
    return {
      name: `${type}: search indexes`,
      refused,
      control,
      at: 'search_indexes',
      ...validation,
    } as Refusal
  }),

  change('a list', 'note', [], {}, 'body'),
  change('null', 'note', null, {}, 'body'),
  change('data null', 'note', { data: null }, { data: 1 }, 'data'),
  change(
    'month 13',
    'card',
    { data: { expiration_month: 13 } },
    { data: { expiration_month: 12 } },
    'data.expiration_month',
  ),
  change('number taken away', 'card', { data: { number: null } }, { data: { cvc: null } }, 'data.number'),
  change(
    'a member it does not have',
    'card',
    { data: { holder: 'Jane Roe-Dupont' } },
    { data: { cvc: '321' } },
    'data.holder',
  ),
  change('a text for a card', 'card', { data: number }, { data: { number } }, 'data'),
  change('metadata value a number', 'note', { metadata: { k: 1 } }, { metadata: { k: '1' } }, 'metadata.k'),
  change(
    '51 entries when merged',
    'full',
    { metadata: { more: 'v' } },
    { metadata: { more: 'v', k0: null } },
    'metadata',
  ),
  change('no container', 'note', { containers: [] }, { containers: ['/a/'] }, 'containers'),
  change(
    'container without a slash',
    'note',
    { containers: ['/a'] },
    { containers: ['/a/'] },
    'containers.0',
  ),
  change(
    'container of 17 levels',
    'note',
    { containers: [tooDeepContainer] },
    { containers: [deepestContainer] },
    'containers.0',
  ),
  change(
    'container of 251 characters',
    'note',
    { containers: [tooLongContainer] },
    { containers: [longestContainer] },
    'containers.0',
  ),
  change(
    'search indexes of a card',
    'card',
    { search_indexes: ['a'] },
    { search_indexes: [] },
    'search_indexes',
  ),
  change(
    'search index that gives null',
    'note',
    { search_indexes: ['{{ data.gone }}'] },
    { search_indexes: ['a'] },
    'search_indexes.0',
  ),
  change('mask that fails', 'note', { mask: '{{ data | nope }}' }, { mask: '{{ data | last4 }}' }, 'mask'),
  change(
    'fingerprint expression that fails',
    'note',
    { fingerprint_expression: '{{ nope' },
    { fingerprint_expression: '{{ data }}' },
    'fingerprint_expression',
  ),
  change('expires_at past', 'note', { expires_at: past }, { expires_at: future }, 'expires_at'),
  change(
    'deduplicate_token a number',
    'note',
    { deduplicate_token: 1 },
    { deduplicate_token: false },
    'deduplicate_token',
  ),
]
