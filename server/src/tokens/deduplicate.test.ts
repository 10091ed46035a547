import t from 'tap'
import { openTenant, openVault } from '../../testing/vault.ts'

const vault = openVault(t)
const card = { type: 'card', data: { number: '4242424242424242' } }

t.test('equal contents have equal fingerprints within a tenant and a type, and nowhere else', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const fingerprint = async (of: typeof tenant, body: object) =>
    (await of.send('POST', '/tokens', body as never)).json.fingerprint
  const first = await fingerprint(tenant, card)
  t.equal(await fingerprint(tenant, { ...card, data: { ...card.data, expiration_month: 1 } }), first)
  t.not(await fingerprint(tenant, { type: 'card_number', data: card.data.number }), first)
  t.not(await fingerprint(tenant, { type: 'card', data: { number: '5555555555554444' } }), first)
  t.not(await fingerprint(other, card), first)
})

t.test('an expression without a result leaves the token without a fingerprint', async t => {
  const tenant = await openTenant(vault)
  const body = {
    type: 'token',
    data: {},
    fingerprint_expression: '{{ data.missing }}',
    deduplicate_token: true,
  }
  const first = await tenant.send('POST', '/tokens', body)
  t.notOk('fingerprint' in first.json)
  const second = await tenant.send('POST', '/tokens', body)
  t.equal(second.status, 201, 'without one, nothing is a duplicate')
  t.not(second.json.id, first.json.id)
})

t.test('a deduplicating create returns the oldest token and stores nothing', async t => {
  const tenant = await openTenant(vault)
  const oldest = await tenant.send('POST', '/tokens', card)
  const younger = await tenant.send('POST', '/tokens', card)
  t.not(younger.json.id, oldest.json.id, 'without deduplication there are two')
  const again = await tenant.send('POST', '/tokens', { ...card, deduplicate_token: true })
  t.equal(again.status, 200)
  t.same(again.json, oldest.json)
  t.notOk('deduplicate_token' in again.json)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 2)
})

t.test('100 racing deduplicating creates leave one token', async t => {
  const tenant = await openTenant(vault)
  const body = { ...card, deduplicate_token: true }
  const replies = await Promise.all(Array.from({ length: 100 }, () => tenant.send('POST', '/tokens', body)))
  t.equal(replies.filter(reply => reply.status === 201).length, 1)
  t.equal(replies.filter(reply => reply.status === 200).length, 99)
  t.equal(new Set(replies.map(reply => reply.json.id)).size, 1)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1)
})

t.test('without token:read on the original its content is left out', async t => {
  const tenant = await openTenant(vault)
  const body = { ...card, containers: ['/hidden/'], metadata: { a: 'b' }, deduplicate_token: true }
  const original = (await tenant.send('POST', '/tokens', body)).json
  const reply = await tenant.asPublic('POST', '/tokens', { ...card, deduplicate_token: true })
  t.equal(reply.status, 200)
  const { data: _d, metadata: _m, fingerprint_expression: _f, mask: _k, ...rest } = original
  t.same(reply.json, rest)
})

t.test('deleting or outliving the original makes room', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const body = { ...card, deduplicate_token: true }
  const first = await tenant.send('POST', '/tokens', body)
  await tenant.send('DELETE', `/tokens/${first.json.id}`)
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const second = await tenant.send('POST', '/tokens', { ...body, expires_at })
  t.equal(second.status, 201)
  await own.clock.advance(60_000)
  const third = await tenant.send('POST', '/tokens', body)
  t.equal(third.status, 201)
  t.not(third.json.id, second.json.id)
})

t.test('an update into a duplicate is not applied, and the original is answered', async t => {
  const tenant = await openTenant(vault)
  const original = (await tenant.send('POST', '/tokens', { type: 'token', data: 'same', mask: '*' })).json
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'other' })).json
  const plain = await tenant.send('PATCH', `/tokens/${id}`, { data: 'same' })
  t.equal(plain.json.id, id, 'a token that is not deduplicated may become equal')
  await tenant.send('PATCH', `/tokens/${id}`, { data: 'other', deduplicate_token: true })

  const changed = await tenant.send('PATCH', `/tokens/${id}`, { data: 'same', metadata: { a: 'b' } })
  t.equal(changed.status, 200)
  t.equal(changed.json.id, original.id)
  t.equal(changed.json.data, '*', 'never more than its mask')
  const untouched = (await tenant.send('GET', `/tokens/${id}`)).json
  t.equal(untouched.data, 'other')
  t.notOk('metadata' in untouched)

  const updater = await tenant.application({ permissions: ['token:update'] })
  const unread = await updater('PATCH', `/tokens/${id}`, { data: 'same' })
  t.equal(unread.json.id, original.id)
  for (const member of ['data', 'mask', 'fingerprint_expression']) t.notOk(member in unread.json, member)
})

t.test(
  'a duplicate that asks for deduplication is answered with the older token; the oldest itself is changed',
  async t => {
    const tenant = await openTenant(vault)
    const older = (await tenant.send('POST', '/tokens', { type: 'token', data: 'twice' })).json
    const younger = (await tenant.send('POST', '/tokens', { type: 'token', data: 'twice' })).json
    const refused = await tenant.send('PATCH', `/tokens/${younger.id}`, { deduplicate_token: true })
    t.equal(refused.json.id, older.id)
    const applied = await tenant.send('PATCH', `/tokens/${older.id}`, { deduplicate_token: true })
    t.equal(applied.json.id, older.id)
    t.ok('modified_at' in applied.json)
  },
)
