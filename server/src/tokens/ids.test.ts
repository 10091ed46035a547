import fc from 'fast-check'
import t from 'tap'
import { openTestStore } from '../../verify/support/storage.ts'
import { interruptible } from '../../verify/support/stores.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { Write } from '../storage/port/port.ts'
import { holdsData } from './id-holds-data.ts'

const vault = openVault(t)

t.test('an update does not mistake a token for a deleted one with its id', async t => {
  const isUpdate = ({ kind, type }: Write) => kind === 'token' && type === 'replace'
  const { store, before, isWaiting } = interruptible(await openTestStore(t), isUpdate)
  const { send } = await openTenant(openVault(t, {}, { openStore: async () => store }))
  const create = (data: string) => send('POST', '/tokens', { id: 'reused', type: 'token', data })
  await create('old')
  before(async () => {
    t.equal((await send('DELETE', '/tokens/reused')).status, 204)
    t.equal((await create('new')).status, 201)
  })
  const { status } = await send('PATCH', '/tokens/reused', { metadata: { changed: 'yes' } })
  t.equal(status, 200)
  t.notOk(isWaiting(), 'the id was used again in between')
  const { json } = await send('GET', '/tokens/reused')
  t.equal(json.data, 'new', 'the data of the deleted token do not come back')
  t.same(json.metadata, { changed: 'yes' })
})

t.test('racing aliases never meet, and when none is free a UUID is taken', async t => {
  const tenant = await openTenant(vault)
  // Two of the three digits are kept, so there are ten aliases at the most.
  const body = { id: 'n{{ data | alias_preserve_format: 1, 1 }}', type: 'token', data: '123' }
  const replies = await Promise.all(Array.from({ length: 30 }, () => tenant.send('POST', '/tokens', body)))
  t.ok(replies.every(reply => reply.status === 201))
  const ids = replies.map(reply => reply.json.id)
  t.equal(new Set(ids).size, 30)
  const aliases = ids.filter(id => /^n1\d3$/.test(id))
  t.ok(aliases.length >= 5 && aliases.length <= 10, `${aliases.length} aliases`)
  t.ok(ids.every(id => /^n1\d3$/.test(id) || /^[0-9a-f-]{36}$/.test(id)))
})

const number = '4242424242424242'

t.test('short numbers count where they stand alone', async t => {
  const type = 'us_bank_account_number'
  for (const id of ['acct-123', '123', '7-123-7', 'a12-3', 'x123x']) t.ok(holdsData(id, type, '123'), id)
  for (const id of ['order-91234', '1234', 'a1-23-4', '0b1de123-5e1f-4123-8aaa-123e4567e89b'])
    t.notOk(holdsData(id, type, '123'), id)
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
  const reply = await tenant.send('POST', '/tokens', clash)
  t.equal(reply.status, 400, 'an alias beside the number helps nothing')
})
