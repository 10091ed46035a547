import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

t.test('of 50 racing creates of one id, one wins', async t => {
  const tenant = await openTenant(vault)
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, data) =>
      tenant.send('POST', '/tokens', { id: 'the-one', type: 'token', data }),
    ),
  )
  t.equal(replies.filter(reply => reply.status === 201).length, 1)
  t.equal(replies.filter(reply => reply.status === 409).length, 49)
})

t.test('an expired token is gone from the instant on', async t => {
  const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(own)
  const body = { id: 'short-lived', type: 'token', data: 'x', expires_at: '2030-01-01T00:00:10+01:00' }
  t.equal((await tenant.send('POST', '/tokens', body)).status, 400, 'that has passed')
  const { json } = await tenant.send('POST', '/tokens', { ...body, expires_at: '2030-01-01T01:00:10+01:00' })
  t.equal(json.expires_at, '2030-01-01T01:00:10+01:00')
  await own.clock.advance(9_999)
  t.equal((await tenant.send('GET', '/tokens/short-lived')).status, 200)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1)
  await own.clock.advance(1)
  t.equal((await tenant.send('GET', '/tokens/short-lived')).status, 404)
  t.equal((await tenant.send('PATCH', '/tokens/short-lived', {})).status, 404)
  t.equal((await tenant.send('DELETE', '/tokens/short-lived')).status, 404)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 0)
  const again = await tenant.send('POST', '/tokens', { id: 'short-lived', type: 'token', data: 'y' })
  t.equal(again.status, 201, 'its id is free, whether a sweep came by or not')
})

t.test('a cvc is unreadable an hour after the creation, and the card stays', async t => {
  const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(own)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'card', data: card })).json
  await own.clock.advance(3_599_999)
  t.equal((await tenant.send('GET', `/tokens/${id}`)).json.data.cvc, '123')
  await own.clock.advance(1)
  const { cvc: _, ...rest } = card
  t.same((await tenant.send('GET', `/tokens/${id}`)).json.data, rest)
  t.same((await tenant.send('GET', '/tokens')).json.data[0].data, rest)

  t.test('a patch over a live code keeps its deadline, one over none starts an hour', async t => {
    await tenant.send('PATCH', `/tokens/${id}`, { data: { cvc: '999' } })
    await own.clock.advance(3_000_000)
    await tenant.send('PATCH', `/tokens/${id}`, { data: { cvc: '111' } })
    await own.clock.advance(599_999)
    t.equal((await tenant.send('GET', `/tokens/${id}`)).json.data.cvc, '111')
    await own.clock.advance(1)
    t.notOk('cvc' in (await tenant.send('GET', `/tokens/${id}`)).json.data)
  })
})

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
