import t from 'tap'
import { DevMake } from '../../../sdk/src/dev/index.ts'
import { testRule } from '../../verify/support/test-rule.ts'
import { isAbaRoutingNumber, isLuhnValid } from '../base/check-digits.ts'
import * as published from '../generated/dev-client/test-numbers.ts'
import { openDev } from './_dev.ts'

const { declinedAccounts, declinedCards, testCards } = published
const now = new Date('2030-06-15')

t.test('each published number passes the checks of its kind', async t => {
  const cards = [...Object.values(testCards).flat(), ...Object.values(declinedCards)]
  for (const number of cards) t.ok(isLuhnValid(number), number)
  for (const number of published.testRoutingNumbers) t.ok(isAbaRoutingNumber(number), number)
  const hasRange = (number: string) => !/^(000|666|9)|-00-|-0000$/.test(number)
  for (const number of published.sampleSocialSecurityNumbers) t.ok(hasRange(number), number)
  t.notOk(hasRange(`${published.advertisedSocialSecurityNumber}1`), 'control')
  t.equal(new Set(cards).size, cards.length)
  t.equal(new Set(published.employerPrefixes).size, 83)
})

t.test('a create succeeds with everything that is made', async t => {
  const { vault, tenant } = await openDev(t)
  const { make } = vault.dev
  const cards = [
    ...Object.keys(testCards).flatMap(brand =>
      [true, false].map(expired => make.card({ brand, expired } as object)),
    ),
    ...[true, ...Object.keys(declinedCards)].map(declined => make.card({ declined } as object)),
  ]
  const banks = [false, true, ...Object.keys(declinedAccounts)].map(declined =>
    make.bank({ declined } as object),
  )
  for (const [type, data] of [
    ...cards.flatMap(card => [['card', card] as const, ['card_number', card.number] as const]),
    ...banks.flatMap(bank => [
      ['bank', bank] as const,
      ['us_bank_account_number', bank.account_number] as const,
      ['us_bank_routing_number', bank.routing_number] as const,
    ]),
    ['social_security_number', make.socialSecurityNumber()] as const,
    ['social_security_number', make.socialSecurityNumber({ invalid: true })] as const,
    ['employer_id_number', make.employerIdNumber()] as const,
  ]) {
    const { status, text } = await tenant.send('POST', '/tokens', { type, data } as never)
    t.equal(status, 201, `${type} ${JSON.stringify(data)}: ${text}`)
  }
})

testRule('the options decide the number, and when it expires', async t => {
  const make = new DevMake(1, now)
  for (let round = 0; round < 50; round++) {
    const amex = make.card({ brand: 'amex' })
    t.ok(testCards.amex.includes(amex.number as never))
    t.match(amex.cvc, /^\d{4}$/)
    t.match(make.card({ brand: 'visa' }).cvc, /^\d{3}$/)
    t.ok(make.card().expiration_year > 2030)
    t.ok(make.card({ expired: true }).expiration_year < 2030)
    t.equal(make.card({ declined: 'lost_card' }).number, declinedCards.lost_card)
    t.equal(make.bank({ declined: true }).account_number, declinedAccounts.generic)
    t.match(make.socialSecurityNumber({ invalid: true }), /^987-65-432\d$/)
    t.match(make.employerIdNumber(), /^\d\d-3456789$/)
  }
})

t.test('the same seed makes the same data in the same order, and another one others', async t => {
  const twenty = (seed: number) => {
    const make = new DevMake(seed, now)
    return Array.from({ length: 20 }, () => [make.card(), make.bank(), make.employerIdNumber()])
  }
  t.same(twenty(42), twenty(42))
  t.notSame(twenty(43), twenty(42))
  t.match(twenty(42)[0], [{ number: '3056930009020004', expiration_year: 2034 }], 'in every release')
})

t.test('options that do not exist are refused by name', async t => {
  const make = new DevMake(1, now)
  for (const [options, message] of [
    [{ expird: true }, 'card takes brand, expired, declined, not expird; did you mean expired?'],
    [{ brand: 'vise' }, /^brand must be one of visa, mastercard, amex/],
    [{ brand: 'toString' }, /^brand must be one of/],
    [{ declined: 'broke' }, /^declined must be one of generic, /],
    [{ declined: true, brand: 'jcb' }, 'brand: a declined card is a visa'],
  ] as const)
    t.throws(() => make.card(options as object), { name: 'TypeError', message })
  t.doesNotThrow(() => make.card({ declined: true, brand: 'visa' }), 'control')
  t.throws(() => new DevMake(0.5), { name: 'TypeError', message: 'the seed must be a whole number' })
})
