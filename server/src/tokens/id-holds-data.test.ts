import fc from 'fast-check'
import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { holdsData } from './id-holds-data.ts'

const vault = openVault(t)
const number = '4242424242424242'

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
