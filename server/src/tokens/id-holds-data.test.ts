import fc from 'fast-check'
import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'
import { holdsData } from './id-holds-data.ts'

const vault = openVault(t)
const number = '4242424242424242'
const account = '000123456789'
const routing = '110000000'
const card = { number, expiration_month: 12, expiration_year: 2030, cvc: '123' }

/** Ids that hold the data, and beside each one that differs from it and does not. */
const cases: readonly [type: string, data: JsonValue, held: string, control: string][] = [
  ['token', 'jane@example.org', 'jane@example.org', 'jane@example.or'],
  ['token', 'jane@example.org', 'JANE@Example.org', 'jane@example.orgs'],
  ['token', 'Jane Roe', 'jane-roe', 'jane-roe-1'],
  ['token', 4242, '4242', '4243'],
  ['token', -1.5, '-1.5', '-1.6'],
  ['token', true, 'true', 'false'],
  ['token', '---', '---', '----'],
  ['card', card, number, '4242424242424241'],
  ['card', card, `card_${number}_a`, `card_${number.slice(1)}_a`],
  ['card', card, '4242-4242 4242.4242', '4242-4242 4242.424x2'],
  ['bank', { routing_number: routing, account_number: account }, `a-${account}`, `a-${routing}`],
  ['card_number', number, `x${number}`, `x${number.slice(0, 6)}-4242`],
  ['us_bank_account_number', account, `00-${account}`, '00-123456789'],
  ['us_bank_routing_number', routing, '110-000-000', '110-000-001'],
  ['social_security_number', '123-45-6789', '123456789', '123456788'],
  ['social_security_number', '123456789', 'ssn:123-45-6789', 'ssn:xxx-xx-6789'],
  ['employer_id_number', '12-3456789', 'ein 123456789', 'ein 12345678'],
]

t.test(
  'an id that holds the data is refused for every type, given and evaluated, without showing it',
  async t => {
    const tenant = await openTenant(vault)
    const literal = (id: string) => `{{ '${id}' }}`
    for (const [type, data, held, control] of cases) {
      for (const spell of [(id: string) => id, literal]) {
        const create = (id: string) => tenant.send('POST', '/tokens', { id: spell(id), type, data })
        const what = `${type}: ${spell(held)}`
        const { status, json } = await create(held)
        // The explanation of a development server has no text of the request, but its own `true` and `false`.
        const { explanation: _, ...problem } = json
        t.equal(status, 400, what)
        t.same(Object.keys(json.errors), ['id'], what)
        t.notOk(JSON.stringify(problem).includes(held), `${what} is not repeated`)
        const made = await create(control)
        t.equal(made.status, 201, `${type}: ${spell(control)} ${made.text}`)
        t.equal(made.json.id, control)
        await tenant.send('DELETE', `/tokens/${encodeURIComponent(control)}`)
      }
    }
    const log = await tenant.asManagement('GET', '/logs?size=100')
    t.ok(log.text.includes('card_242424242424242_a'), 'control: the log has the ids of tokens')
    for (const id of [number, `card_${number}_a`, 'ssn:123-45-6789']) t.notOk(log.text.includes(id), id)
  },
)

t.test('an id made of the data itself is refused, and of a part of it is not', async t => {
  const tenant = await openTenant(vault)
  const rows: [type: string, data: JsonValue, held: string, control: string][] = [
    ['token', 'a value', '{{ data }}', "{{ data | append: '-1' }}"],
    ['card', card, '{{ data.number }}', '{{ data.number | last4 }}'],
    ['card', card, 'c_{{ data.number }}', 'c_{{ data.number | card_bin }}'],
    [
      'bank',
      { routing_number: routing, account_number: account },
      '{{ data.account_number }}',
      '{{ data.routing_number }}',
    ],
    ['social_security_number', '123-45-6789', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
  ]
  for (const [type, data, held, control] of rows) {
    const create = (id: string) => tenant.send('POST', '/tokens', { id, type, data })
    t.equal((await create(held)).status, 400, held)
    t.equal((await create(control)).status, 201, control)
  }
})

t.test('in payloads it is refused at its place, and nothing of them is stored', async t => {
  const own = openReactors(t)
  const tenant = await openTenant(own)
  const payload = (id: string) => ({ ok: 'bare', cards: [{ id, type: 'card', data: card }] })
  const total = async () => (await tenant.send('GET', '/tokens')).json.pagination.total_items
  const refused = await tenant.send('POST', '/tokenize', payload(number))
  t.equal(refused.status, 400)
  t.same(Object.keys(refused.json.errors), ['cards.0.id'])
  t.notMatch(refused.text, number)
  t.equal(await total(), 0)
  t.equal((await tenant.send('POST', '/tokenize', payload('one'))).status, 200, 'control')

  const code = 'module.exports = async ({ args }) => ({ tokenize: args.payload })'
  const react = await reactorOn(tenant, code)
  const before = await total()
  const made = await react({
    args: { payload: payload('{{ data.number }}'.replace('{{', '{').replace('}}', '}')) },
  })
  t.equal(made.status, 400, 'control of the spelling: a brace is not part of an id')
  const reacted = await react({ args: { payload: payload(number) } })
  t.ok(reacted.status >= 400, reacted.text)
  t.notMatch(reacted.text, number)
  t.equal(await total(), before)
  t.equal((await react({ args: { payload: payload('two') } })).status, 200, 'control')
})

t.test('short numbers count where they stand alone', async t => {
  const type = 'us_bank_account_number'
  for (const id of ['acct-123', '123', '7-123-7', 'a12-3', 'x123x']) t.ok(holdsData(id, type, '123'), id)
  for (const id of ['order-91234', '1234', 'a1-23-4', '0b1de123-5e1f-4123-8aaa-123e4567e89b']) {
    t.notOk(holdsData(id, type, '123'), id)
  }
  t.ok(holdsData('order-91234569', type, '123456'), 'longer ones count anywhere')
})

t.test('no UUID is refused for a short number', async () => {
  const numbers = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 5 })
  fc.assert(fc.property(fc.uuid(), numbers, (id, data) => !holdsData(id, 'us_bank_account_number', data)))
})

t.test('an alias stands for the number, never is it', async t => {
  const tenant = await openTenant(vault)
  // Two of three digits are kept: one alias in ten would be the number, were it not left out.
  const body = {
    id: '12{{ data | slice: 2, 1 | alias_preserve_format }}',
    type: 'us_bank_account_number',
    data: '123',
  }
  for (let index = 0; index < 20; index++) {
    const { status, json } = await tenant.send('POST', '/tokens', body)
    t.equal(status, 201)
    t.not(json.id, '123')
  }
  const clash = { id: "{{ 'x' | alias_preserve_length }}{{ data }}", type: 'card_number', data: number }
  t.equal(
    (await tenant.send('POST', '/tokens', clash)).status,
    400,
    'an alias beside the number helps nothing',
  )
})
