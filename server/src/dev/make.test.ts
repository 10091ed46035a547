import t from 'tap'
import { DevMake } from '../../../sdk/src/dev/index.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { isAbaRoutingNumber, isLuhnValid } from '../base/check-digits.ts'
import {
  advertisedSocialSecurityNumber,
  declinedAccounts,
  declinedCards,
  employerPrefixes,
  sampleSocialSecurityNumbers,
  testCards,
  testRoutingNumbers,
} from '../generated/dev-client/test-numbers.ts'

const now = new Date('2030-06-15')

t.test('each published number passes the checks of its kind', t => {
  const cards = [...Object.values(testCards).flat(), ...Object.values(declinedCards)]
  for (const number of cards) t.ok(isLuhnValid(number), number)
  for (const number of testRoutingNumbers) t.ok(isAbaRoutingNumber(number), number)
  const hasRange = (number: string) => !/^(000|666|9)|-00-|-0000$/.test(number)
  for (const number of sampleSocialSecurityNumbers) t.ok(hasRange(number), number)
  t.notOk(hasRange(`${advertisedSocialSecurityNumber}1`), 'control')
  t.equal(new Set(cards).size, cards.length)
  t.equal(new Set(employerPrefixes).size, 83)
  t.end()
})

t.test('a create succeeds with everything that is made', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { make } = vault.dev
  const accepted = async (type: string, data: unknown) =>
    t.equal(
      (await tenant.send('POST', '/tokens', { type, data } as never)).status,
      201,
      `${type} ${JSON.stringify(data)}`,
    )
  for (const brand of Object.keys(testCards) as (keyof typeof testCards)[]) {
    for (const expired of [true, false]) {
      const card = make.card({ brand, expired })
      await accepted('card', card)
      await accepted('card_number', card.number)
    }
  }
  for (const declined of [true, ...Object.keys(declinedCards)] as true[])
    await accepted('card', make.card({ declined }))
  for (const declined of [false, true, ...Object.keys(declinedAccounts)] as true[]) {
    const bank = make.bank({ declined })
    await accepted('bank', bank)
    await accepted('us_bank_account_number', bank.account_number)
    await accepted('us_bank_routing_number', bank.routing_number)
  }
  for (const invalid of [true, false])
    await accepted('social_security_number', make.socialSecurityNumber({ invalid }))
  await accepted('employer_id_number', make.employerIdNumber())
})

t.test('the options decide the number, and when it expires', t => {
  const make = new DevMake(1, now)
  for (let round = 0; round < 50; round++) {
    t.ok(testCards.amex.includes(make.card({ brand: 'amex' }).number as never))
    t.match(make.card({ brand: 'amex' }).cvc, /^\d{4}$/)
    t.match(make.card({ brand: 'visa' }).cvc, /^\d{3}$/)
    t.ok(make.card().expiration_year > 2030)
    t.ok(make.card({ expired: true }).expiration_year < 2030)
    t.equal(make.card({ declined: 'lost_card' }).number, declinedCards.lost_card)
    t.equal(make.bank({ declined: true }).account_number, declinedAccounts.generic)
    t.match(make.socialSecurityNumber({ invalid: true }), /^987-65-432\d$/)
    t.match(make.employerIdNumber(), /^\d\d-3456789$/)
  }
  t.end()
})

t.test('the same seed makes the same data in the same order, and another one others', t => {
  const twenty = (seed: number) => {
    const make = new DevMake(seed, now)
    return Array.from({ length: 20 }, () => [make.card(), make.bank(), make.employerIdNumber()])
  }
  t.same(twenty(42), twenty(42))
  t.notSame(twenty(43), twenty(42))
  t.match(twenty(42)[0], [{ number: '3056930009020004', expiration_year: 2034 }], 'in every release')
  t.end()
})

t.test('options that do not exist are refused by name', t => {
  const make = new DevMake(1, now)
  const card = (options: object) => () => make.card(options as never)
  t.throws(card({ expird: true }), {
    name: 'TypeError',
    message: 'card takes brand, expired, declined, not expird; did you mean expired?',
  })
  t.throws(card({ brand: 'vise' }), {
    name: 'TypeError',
    message: /^brand must be one of visa, mastercard, amex/,
  })
  t.throws(card({ brand: 'toString' }), { name: 'TypeError', message: /^brand must be one of/ })
  t.throws(card({ declined: 'broke' }), { name: 'TypeError', message: /^declined must be one of generic, / })
  t.throws(card({ declined: true, brand: 'jcb' }), { message: 'brand: a declined card is a visa' })
  t.doesNotThrow(card({ declined: true, brand: 'visa' }), 'control')
  t.throws(() => new DevMake(0.5), { name: 'TypeError', message: 'the seed must be a whole number' })
  t.end()
})
