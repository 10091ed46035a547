import t from 'tap'
import { makeReactor, makeToken, openReactors } from '../../../verify/support/reactors.ts'
import { openTenant, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonObject } from '../../base/json/json.ts'

const vault = openReactors(t)

/** Invokes an official formula, found by its name as a user would. */
async function official(tenant: TestTenant, name: string) {
  const { data } = (await tenant.asManagement('GET', `/reactor-formulas?name=${encodeURIComponent(name)}`))
    .json
  const { id } = await makeReactor(tenant, data[0].id)
  return (args: JsonObject) => tenant.send('POST', `/reactors/${id}/react`, { args })
}

t.test('the card check returns what may be known of a number', async t => {
  const tenant = await openTenant(vault)
  const check = await official(tenant, 'Card BIN and Luhn check')
  const rows: [number: string, network: string, bin: string, valid: boolean][] = [
    ['4242424242424242', 'visa', '42424242', true],
    ['4242424242424241', 'visa', '42424242', false],
    ['4222222222222', 'visa', '422222', true],
    ['5555 5555 5555 4444', 'mastercard', '55555555', true],
    ['2223-0031-2200-3222', 'mastercard', '22230031', true],
    ['378282246310005', 'amex', '378282', true],
    ['6011111111111117', 'discover', '60111111', true],
    ['30569309025904', 'diners', '305693', true],
    ['3566002020360505', 'jcb', '35660020', true],
    ['6200000000000005', 'unionpay', '62000000', true],
    ['6759649826438453', 'maestro', '67596498', true],
    ['9999999999999995', 'unknown', '99999999', true],
  ]
  for (const [number, network, bin, luhn_valid] of rows) {
    const digits = number.replace(/[ -]/g, '')
    const { status, json, text } = await check({ card: { number } })
    t.equal(status, 200, text)
    t.same(
      json,
      { raw: { bin, last4: digits.slice(-4), length: digits.length, network, luhn_valid } },
      number,
    )
  }
  const card = await makeToken(tenant, { type: 'card', data: { number: '4242424242424242', cvc: '123' } })
  t.match((await check({ card: `{{ ${card} }}` })).json.raw, { last4: '4242' }, 'of a card token')
  t.match((await check({ 'card.number': '4242424242424242' })).json.raw, { last4: '4242' })
  for (const number of ['42424242424', '42424242424242424242', 'text', ''])
    t.match(await check({ card: { number } }), {
      status: 400,
      json: { errors: { 'args.card.number': [String] } },
    })
  t.match(await check({}), { status: 400, json: { errors: { 'args.card.number': [String] } } })
})

t.test('the card tokenizer makes one token of a card, however often it comes', async t => {
  const tenant = await openTenant(vault)
  const tokenizer = await official(tenant, 'Deduplicating card tokenizer')
  const number = await makeToken(tenant, { type: 'card_number', data: '4242424242424242' })
  const parts = { number: `{{ ${number} }}`, expiration_month: '12', expiration_year: '2090', cvc: 123 }
  const first = await tokenizer({ card: parts })
  t.equal(first.status, 200, first.text)
  const { tokens } = first.json
  t.match(tokens, { type: 'card', data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12 } })
  const kept = (await tenant.send('GET', `/tokens/${tokens.id}`)).json.data
  t.match(kept, { number: '4242424242424242', expiration_month: 12, expiration_year: 2090, cvc: '123' })
  t.equal((await tokenizer({ card: { number: '4242 4242 4242 4242' } })).json.tokens.id, tokens.id)
  t.equal((await tokenizer({ 'card.number': '4242-4242-4242-4242' })).json.tokens.id, tokens.id)
  const another = await tokenizer({ card: { number: '5555555555554444' } })
  t.not(another.json.tokens.id, tokens.id)
  const found = await tokenizer({ card: { number: '4242424242424241' } })
  t.match(found, { status: 400, json: { errors: { 'tokenize.data.number': [String] } } })
  t.equal((await tenant.send('GET', '/tokens?type=card')).json.pagination.total_items, 2)
})
