import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const vault = openVault(t)
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }

t.test('a card goes in whole, is answered masked, and is read by each caller in its own way', async t => {
  const tenant = await openTenant(vault)
  const created = await tenant.send('POST', '/tokens', { type: 'card', data: card, metadata: { order: '7' } })
  t.equal(created.status, 201)
  const { id } = created.json
  t.match(created.json, {
    tenant_id: tenant.tenantId,
    type: 'card',
    data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2030 },
    containers: ['/pci/high/'],
    metadata: { order: '7' },
    fingerprint_expression: '{{ data.number }}',
    fingerprint: /^[0-9a-f]{64}$/,
    created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  })
  t.notOk('modified_at' in created.json)
  t.notOk('cvc' in created.json.data)

  const revealed = await tenant.send('GET', `/tokens/${id}`)
  t.same(revealed.json.data, card)
  const masking = await tenant.application({ permissions: ['token:read'] })
  t.same((await masking('GET', `/tokens/${id}`)).json.data, created.json.data)
  const redacting = await tenant.application({
    rules: [{ priority: 1, container: '/', transform: 'redact', permissions: ['token:read'] }],
  })
  const redacted = await redacting('GET', `/tokens/${id}`)
  t.equal(redacted.status, 200)
  t.notOk('data' in redacted.json)
  t.match(redacted.json.mask, { number: '{{ data.number | reveal_last: 4 }}' })
})

const defaults: readonly [
  type: string,
  data: unknown,
  container: string,
  masked: unknown,
  expression: string,
][] = [
  ['token', { any: ['json', 1, true, null] }, '/general/high/', undefined, '{{ data | stringify }}'],
  ['card', { number: '4242424242424242' }, '/pci/high/', { number: 'XXXXXXXXXXXX4242' }, '{{ data.number }}'],
  [
    'bank',
    { routing_number: '110000000', account_number: '000123456789' },
    '/bank/high/',
    { routing_number: '110000000', account_number: 'XXXXXXXX6789' },
    '{{ data.account_number }}|{{ data.routing_number }}',
  ],
  ['card_number', '4242424242424242', '/pci/high/', 'XXXXXXXXXXXX4242', '{{ data }}'],
  ['us_bank_account_number', '000123456789', '/bank/high/', 'XXXXXXXX6789', '{{ data }}'],
  ['us_bank_routing_number', '110000000', '/bank/low/', 'XXXXX0000', '{{ data }}'],
  ['social_security_number', '123-45-6789', '/pii/high/', 'XXX-XX-6789', "{{ data | remove: '-' }}"],
  ['employer_id_number', '12-3456789', '/pii/high/', 'XX-XXX6789', "{{ data | remove: '-' }}"],
]

t.test('each type has its container, mask and fingerprint expression by default', async t => {
  const tenant = await openTenant(vault)
  for (const [type, data, container, masked, expression] of defaults) {
    const { status, json } = await tenant.send('POST', '/tokens', { type, data } as never)
    t.equal(status, 201, type)
    t.same(json.containers, [container], type)
    t.same(json.data, masked, type)
    t.equal(json.fingerprint_expression, expression, type)
    t.same((await tenant.send('GET', `/tokens/${json.id}`)).json.data, data, type)
  }
})

t.test(
  'identity numbers are searchable by default, also with null, and an empty list switches that off',
  async t => {
    const tenant = await openTenant(vault)
    const indexes = ['{{ data }}', "{{ data | remove: '-'}}", '{{ data | last4 }}']
    for (const type of ['social_security_number', 'employer_id_number']) {
      const create = async (more: object) =>
        (await tenant.send('POST', '/tokens', { type, data: '123-45-6789', ...more })).json
      t.same((await create({})).search_indexes, indexes)
      t.notOk('search_indexes' in (await create({ search_indexes: [] })))
      t.same((await create({ search_indexes: null })).search_indexes, indexes)
      t.same((await create({ search_indexes: ['{{ data | last4 }}'] })).search_indexes, [
        '{{ data | last4 }}',
      ])
    }
  },
)

t.test('every type takes null and an empty list as search indexes, in a create and in an update', async t => {
  const tenant = await openTenant(vault)
  for (const [type, data] of defaults) {
    const create = async (search_indexes: null | string[]) => {
      const reply = await tenant.send('POST', '/tokens', { type, data, search_indexes } as never)
      t.equal(reply.status, 201, `${type} ${JSON.stringify(search_indexes)}`)
      return reply.json
    }
    t.notOk('search_indexes' in (await create([])), type)
    const { id, search_indexes } = await create(null)
    const { json } = await tenant.send('POST', '/tokens', { type, data } as never)
    t.same(search_indexes, json.search_indexes, `${type}: null is the default`)
    for (const none of [null, []]) {
      const updated = await tenant.send('PATCH', `/tokens/${id}`, { search_indexes: none })
      t.equal(updated.status, 200, type)
      t.notOk('search_indexes' in updated.json, `${type}: ${JSON.stringify(none)} is none in an update`)
    }
  }
})

t.test('data comes back as it was sent, of every JSON type', async t => {
  const tenant = await openTenant(vault)
  const values = [
    'text',
    '',
    0,
    -1.5,
    9007199254740991,
    true,
    false,
    [],
    {},
    [null],
    { 'a.b': { '': 'é😀' } },
  ]
  for (const data of values) {
    const { json } = await tenant.send('POST', '/tokens', { type: 'token', data } as never)
    t.strictSame((await tenant.send('GET', `/tokens/${json.id}`)).json.data, data, JSON.stringify(data))
  }
})

t.test('an own id is kept, found as it is written, and taken only once', async t => {
  const tenant = await openTenant(vault)
  const body = { id: 'Order 7: é', type: 'token', data: 1 }
  t.equal((await tenant.send('POST', '/tokens', body)).json.id, 'Order 7: é')
  t.equal((await tenant.send('GET', `/tokens/${encodeURIComponent('Order 7: é')}`)).json.data, 1)
  t.equal((await tenant.send('GET', `/tokens/${encodeURIComponent('order 7: é')}`)).status, 404)
  const again = await tenant.send('POST', '/tokens', body)
  t.equal(again.status, 409)
  t.match(again.json, { type: 'urn:surrogate:error:conflict', errors: { id: [String] } })

  const other = await openTenant(vault)
  t.equal((await other.send('POST', '/tokens', body)).status, 201, 'another tenant has ids of its own')
  t.equal((await tenant.send('DELETE', `/tokens/${encodeURIComponent(body.id)}`)).status, 204)
  t.equal((await tenant.send('POST', '/tokens', body)).status, 201, 'a deleted id is free again')
})

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

t.test('a deleted token is gone, and a log entry remains', async t => {
  const tenant = await openTenant(vault)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })).json
  const deleted = await tenant.send('DELETE', `/tokens/${id}`)
  t.equal(deleted.status, 204)
  t.equal(deleted.text, '')
  t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 404)
  t.equal((await tenant.send('DELETE', `/tokens/${id}`)).status, 404)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 0)
  const log = await tenant.asManagement('GET', `/logs?entity_type=token&entity_id=${id}`)
  t.equal(log.json.pagination.total_items, 2)
  t.match(log.json.data[0], { operation: 'token:delete', actor_type: 'application' })
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
