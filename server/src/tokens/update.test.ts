import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

async function created(tenant: TestTenant, body: object) {
  const reply = await tenant.send('POST', '/tokens', body as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json
}

t.test('concurrent patches of one token lose nothing', async t => {
  const tenant = await openTenant(vault)
  const { id } = await created(tenant, { type: 'token', data: {} })
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      tenant.send('PATCH', `/tokens/${id}`, {
        data: { [`k${index}`]: index },
        metadata: { [`m${index}`]: 'x' },
      }),
    ),
  )
  t.ok(replies.every(reply => reply.status === 200))
  const { json } = await tenant.send('GET', `/tokens/${id}`)
  t.equal(Object.keys(json.data).length, 40)
  t.equal(Object.keys(json.metadata).length, 40)
})

t.test('erasing a cvc changes no fingerprint, not even with the next patch', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const first = await created(tenant, {
    type: 'card',
    data: card,
    fingerprint_expression: '{{ data | stringify }}',
  })
  await own.clock.advance(3_600_000)
  const { json } = await tenant.send('PATCH', `/tokens/${first.id}`, { metadata: { a: 'b' }, data: {} })
  t.notOk('cvc' in json.data)
  t.equal(json.fingerprint, first.fingerprint)
})
