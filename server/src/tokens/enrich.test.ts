import { join } from 'node:path'
import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { runHere } from '../../verify/support/run-here.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'
import { brandOf } from './card-brands.ts'
import { cardIssuerLimits, issuerOf, parseCardIssuers } from './card-issuers.ts'
import { enrichmentsOf } from './enrich.ts'

const file = [
  'prefix,issuer,country,funding',
  '424242,"Bank of ""Examples"", Ltd",US,credit',
  '42424242,Precise Bank,DE,debit',
  '55555555,,,prepaid',
].join('\r\n')
const issuers = parseCardIssuers('a.csv', file)

t.test('a brand is known by the first digits of a number', async t => {
  const known: Readonly<Record<string, string | undefined>> = {
    '1': undefined,
    '2200': 'mir',
    '2204': 'mir',
    '2205': undefined,
    '2220': undefined,
    '2221': 'mastercard',
    '2720': 'mastercard',
    '2721': undefined,
    '300': 'diners_club',
    '305': 'diners_club',
    '306': undefined,
    '34': 'american_express',
    '3527': undefined,
    '3528': 'jcb',
    '3589': 'jcb',
    '3590': undefined,
    '36': 'diners_club',
    '37': 'american_express',
    '39': 'diners_club',
    '401177': 'visa',
    '401178': 'elo',
    '401180': 'visa',
    '42': 'visa',
    '5018': 'maestro',
    '5019': undefined,
    '50': undefined,
    '51': 'mastercard',
    '55': 'mastercard',
    '56': undefined,
    '6011': 'discover',
    '62182': 'unionpay',
    '62183': undefined,
    '6271': undefined,
    '627779': 'unionpay',
    '627780': 'elo',
    '627781': 'unionpay',
    '643': undefined,
    '644': 'discover',
    '650032': 'elo',
    '650034': 'discover',
    '6763': 'maestro',
    '9': undefined,
  }
  for (const [digits, brand] of Object.entries(known))
    t.equal(brandOf(digits.padEnd(16, '0'))?.brand, brand, digits)
  t.same(brandOf('378282246310005'), { brand: 'american_express', number_lengths: [15] })
})

t.test('an issuer is that of the longest prefix', async t => {
  t.same(issuerOf(issuers, '4242424242424242'), { issuer: 'Precise Bank', country: 'DE', funding: 'debit' })
  t.same(issuerOf(issuers, '4242424111111111'), {
    issuer: 'Bank of "Examples", Ltd',
    country: 'US',
    funding: 'credit',
  })
  t.same(issuerOf(issuers, '5555555555554444'), { funding: 'prepaid' })
  t.equal(issuerOf(issuers, '4000000000000002'), undefined)
  t.equal(issuerOf(undefined, '4242424242424242'), undefined)
})

t.test('a number says something only where all of it is shown', async t => {
  const number = '4242424242424242'
  const cases: readonly [shown: JsonValue, is: 'enriched' | undefined][] = [
    [number, 'enriched'],
    [{ number, expiration_month: 1 }, 'enriched'],
    [{ number: '424242XXXXXX4242' }, undefined],
    [{ number: '4242424242424241' }, undefined],
    [`${number}0`, undefined],
    ['XXXXXXXXXXXX4242', undefined],
    [{ number: null }, undefined],
    [{}, undefined],
    [[number], undefined],
    [Number(number), undefined],
    [null, undefined],
  ]
  for (const [shown, is] of cases) {
    const found = enrichmentsOf('card', { number }, shown, issuers)
    if (is) t.match(found, { card: { brand: 'visa', issuer: 'Precise Bank' } }, JSON.stringify(shown))
    else t.equal(found, undefined, JSON.stringify(shown))
  }
  t.ok(enrichmentsOf('card_number', number, number, issuers))
  t.equal(enrichmentsOf('token', number, number, issuers), undefined, 'other types have none')
  const unknown = '9999999999999995'
  t.strictSame(enrichmentsOf('card_number', unknown, unknown, issuers), { card: {} }, 'nothing is known')
})

t.test('a reference to a whole card has enrichments, if the rules show its whole number', async t => {
  const path = join(t.testdir({ 'issuers.csv': file }), 'issuers.csv')
  const tenant = await openTenant(openVault(t, { cardIssuers: path }))
  const data = { number: '4242424242424242' }
  for (const [id, more] of [
    ['usual', {}],
    ['begins', { mask: { number: "{{ data.number | card_mask: 'true', 'true' }}" } }],
    ['open', { mask: '{{ data.number }}' }],
  ] as const)
    await tenant.send('POST', '/tokens', { type: 'card', data, id, ...more })
  await tenant.send('POST', '/tokens', { type: 'card_number', data: '378282246310005', id: 'amex' })
  const number_lengths = [13, 16, 18, 19]
  const whole = { brand: 'visa', number_lengths, issuer: 'Precise Bank', country: 'DE', funding: 'debit' }
  const shown: readonly [transform: string, id: string, card: object | undefined][] = [
    ['reveal', 'usual', whole],
    ['reveal', 'amex', { brand: 'american_express', number_lengths: [15] }],
    ['mask', 'open', whole],
    ['mask', 'begins', undefined],
    ['mask', 'usual', undefined],
    ['mask', 'amex', undefined],
    ['redact', 'open', undefined],
  ]
  for (const [transform, id, card] of shown) {
    const permissions = ['token:use', 'token:read']
    const send = await tenant.application({
      rules: [{ priority: 1, container: '/', transform, permissions }],
    })
    const { json } = await send('POST', '/detokenize', {
      whole: `{{ token: ${id} }}`,
      brand: `{{ token: ${id} | json: '$.enrichments.card.brand' }}`,
      data: `{{ ${id} }}`,
    })
    t.strictSame(json.whole.enrichments?.card, card, `${transform} ${id}`)
    t.equal(json.brand, (card as { brand?: string } | undefined)?.brand ?? null)
    t.notMatch(JSON.stringify(json.data), /enrichments/)
    t.equal((await send('GET', `/tokens/${id}`)).json.enrichments, undefined, 'a read has none')
  }
})

t.test('a formula gets those of the whole number', async t => {
  const tenant = await openTenant(openReactors(t))
  await tenant.send('POST', '/tokens', { type: 'card', data: { number: '4242424242424242' }, id: 'card' })
  const react = await reactorOn(
    tenant,
    'module.exports = async ({ args }) => ({ raw: args.card.enrichments })',
  )
  const { raw } = (await react({ args: { card: '{{ token: card }}' } })).json
  t.strictSame(
    raw,
    { card: { brand: 'visa', number_lengths: [13, 16, 18, 19] } },
    'without a file of issuers',
  )
})

t.test('a file that is not as it should be is refused by line and column, without its values', async t => {
  const cases: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
    'no columns': ['', /line 1: names other columns/],
    'an unknown column': [
      'prefix,bank\n424242,x',
      /line 1: names other columns than prefix, issuer, country, funding/,
    ],
    'a column twice': ['prefix,prefix\n424242,424242', /line 1/],
    'no prefix': ['issuer\nx', /line 1/],
    'a short prefix': ['prefix\n424242\n42424', /line 3: prefix: must be 6 to 11 digits/],
    'a long prefix': ['prefix\n424242424242', /line 2: prefix/],
    'a prefix twice': ['prefix\n424242\n\n424242', /line 4: prefix: comes twice/],
    'a control character': ['prefix,issuer\n424242,secret\u0007', /line 2: issuer/],
    'a long issuer': [`prefix,issuer\n424242,${'secret'.repeat(17)}`, /line 2: issuer/],
    'a country in words': [
      'prefix,country\n424242,Secretland',
      /line 2: country: must be two capital letters/,
    ],
    'another funding': ['prefix,funding\n424242,secret', /line 2: funding/],
    'too few fields': ['prefix,issuer\n424242', /line 2: has 1 of 2 fields/],
    'an open quote': ['prefix,issuer\n424242,"secret', /line 2: is not CSV/],
    'a quote in a field': ['prefix,issuer\n424242,se"cret', /line 2: is not CSV/],
    'too many lines': [`prefix\n${'\n'.repeat(cardIssuerLimits.lines)}`, /more than 200000 lines/],
  }
  for (const [what, [text, says]] of Object.entries(cases)) {
    t.throws(() => parseCardIssuers('a.csv', text), { name: 'CardIssuersRefused', message: says }, what)
    try {
      parseCardIssuers('a.csv', text)
    } catch (error) {
      t.notMatch((error as Error).message, /secret|4242/i, what)
    }
  }
  t.equal(parseCardIssuers('a.csv', '\uFEFFfunding,prefix\ncredit,424242\n').size, 1, 'the control')
})

t.test('the program refuses a wrong file at its start, in one sentence', async t => {
  const folder = t.testdir({ 'wrong.csv': 'prefix\n4', 'large.csv': 'x'.repeat(cardIssuerLimits.bytes + 1) })
  const cases: Readonly<Record<string, RegExp>> = {
    'none.csv': /cannot be read/,
    'wrong.csv': /line 2: prefix: must be 6 to 11 digits/,
    'large.csv': /must not be larger than 16000000 bytes/,
  }
  for (const [name, says] of Object.entries(cases)) {
    const ended = await runHere([
      '--storage',
      'memory:',
      '--dev',
      '--port',
      '0',
      '--card-issuers',
      join(folder, name),
    ])
    t.match(
      ended,
      { code: 2, stdout: '', stderr: /^surrogate-server: the file \S+ of --card-issuers / },
      name,
    )
    t.match(ended.stderr, says)
    t.equal(ended.stderr.split('\n').length, 2)
  }
})
