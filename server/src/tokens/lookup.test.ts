import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'

const vault = openVault(t)
const number = '4242424242424242'
const card = { type: 'card', data: { number } }

const idsOf = ({ json }: { readonly json: { data: { id: string }[] } }) => json.data.map(({ id }) => id)
const create = async (tenant: TestTenant, body: JsonValue) =>
  (await tenant.send('POST', '/tokens', body)).json.id as string

/** Returns a function that looks up tokens under these rights. */
async function looking(tenant: TestTenant, rights: JsonValue = { permissions: ['token:lookup'] }) {
  const caller = await tenant.application(rights)
  return Object.assign((body: JsonValue) => caller('POST', '/tokens/lookup', body), { id: caller.id })
}

t.test('tokens are found by their data, and show their id, type and containers only', async t => {
  const tenant = await openTenant(vault)
  const first = await create(tenant, { ...card, containers: ['/a/'], metadata: { a: 'b' } })
  const second = await create(tenant, { ...card, data: { number, expiration_month: 1 } })
  await create(tenant, { type: 'card', data: { number: '5555555555554444' } })
  await create(tenant, { type: 'card_number', data: number })
  for (const transform of ['redact', 'mask', 'reveal']) {
    const rule = { priority: 1, container: '/', transform, permissions: ['token:lookup'] }
    const look = await looking(tenant, { rules: [rule] })
    const { status, json } = await look(card)
    t.equal(status, 200)
    t.same(json, {
      pagination: { total_items: 2, page_number: 1, page_size: 20, total_pages: 1 },
      data: [
        { id: second, type: 'card', containers: ['/pci/high/'] },
        { id: first, type: 'card', containers: ['/a/'] },
      ],
    })
  }
  const look = await looking(tenant)
  t.same((await look({ type: 'card', data: { number: '4111111111111111' } })).json.data, [])
  t.same(idsOf(await look({ ...card, page: 2, size: 1 })), [first])
})

t.test('data is compared by the fingerprint expression of the type, or the one that is given', async t => {
  const tenant = await openTenant(vault)
  const look = await looking(tenant)
  const ssn = await create(tenant, { type: 'social_security_number', data: '078-05-1120' })
  t.same(idsOf(await look({ type: 'social_security_number', data: '078051120' })), [ssn])
  const fingerprint_expression = '{{ data.number }} {{ metadata.shop }}'
  const made = { ...card, metadata: { shop: 'a', other: 'x' }, fingerprint_expression }
  const own = await create(tenant, made)
  t.same(idsOf(await look({ ...made, metadata: { shop: 'a' } })), [own])
  for (const body of [card, { ...made, metadata: { shop: 'b' } }, { ...card, fingerprint_expression }]) {
    t.same(idsOf(await look(body)), [])
  }
  // Nothing is made of an empty value.
  const empty = { type: 'token', data: 'x', fingerprint_expression: '{{ data.none }}' }
  await create(tenant, empty)
  t.same((await look(empty)).json.data, [])
})

t.test('a token whose literal expression imitates a number is not found by the number', async t => {
  const tenant = await openTenant(vault)
  const look = await looking(tenant)
  const planted = { ...card, data: { number: '5555555555554444' }, fingerprint_expression: number }
  const id = await create(tenant, planted)
  t.same(idsOf(await look(card)), [])
  t.same(idsOf(await look(planted)), [id], 'the control')
})

t.test('only live tokens are found, and those of today', async t => {
  const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(own)
  const look = await looking(tenant)
  const expiring = await create(tenant, { ...card, expires_at: '2030-01-01T00:01:00Z' })
  const deleted = await create(tenant, card)
  t.same(idsOf(await look(card)), [deleted, expiring])
  await tenant.send('DELETE', `/tokens/${deleted}`)
  t.same(idsOf(await look(card)), [expiring])
  await own.clock.advance(60_000)
  t.same(idsOf(await look(card)), [])
  const changed = await create(tenant, card)
  await tenant.send('PATCH', `/tokens/${changed}`, { data: { number: '5555555555554444' } })
  t.same((await look(card)).json.pagination.total_items, 0)
})

t.test('tokens are found where the caller holds token:lookup in each of their containers', async t => {
  const tenant = await openTenant(vault)
  const rule = (container: string, permission: string) => ({
    ...{ priority: 1, container, transform: 'reveal', permissions: [permission] },
  })
  const inside = await create(tenant, { ...card, containers: ['/a/b/'] })
  for (const containers of [['/b/'], ['/a/', '/b/']]) await create(tenant, { ...card, containers })
  const look = await looking(tenant, { rules: [rule('/a/', 'token:lookup')] })
  const found = await look(card)
  t.same(idsOf(found), [inside])
  t.equal(found.json.pagination.total_items, 1)
  const other = await openTenant(vault)
  t.same(idsOf(await (await looking(other))(card)), [], 'another tenant')
})

t.test('only a private application with token:lookup can look up', async t => {
  const tenant = await openTenant(vault)
  await create(tenant, card)
  const others = ['create', 'read', 'update', 'delete', 'search', 'use'].map(one => `token:${one}`)
  t.equal((await (await looking(tenant, { permissions: others }))(card)).status, 403)
  t.equal((await (await looking(tenant))(card)).status, 200, 'the control')
  for (const send of [tenant.asPublic, tenant.asManagement]) {
    t.equal((await send('POST', '/tokens/lookup', card)).status, 403)
  }
  const asked = { name: 'A', type: 'public', permissions: ['token:lookup'] }
  t.equal((await tenant.asManagement('POST', '/applications', asked)).status, 400)
  t.equal((await tenant.asManagement('POST', '/applications', { ...asked, type: 'private' })).status, 201)

  const { nonce, session_key } = (await tenant.asPublic('POST', '/sessions')).json
  const permissions = ['token:lookup', 'token:search']
  t.equal((await tenant.send('POST', '/sessions/authorize', { nonce, permissions })).status, 200)
  const session = tenant.as(session_key)
  t.equal((await session('POST', '/tokens/lookup', card)).status, 403)
  t.equal((await session('POST', '/tokens/search', {})).status, 200, 'the control')
})

t.test('data that no token of the type can have is refused, without repeating it', async t => {
  const tenant = await openTenant(vault)
  const look = await looking(tenant)
  for (const [body, member] of [
    [{ type: 'card', data: { number: '4242424242424243' } }, 'data.number'],
    [{ type: 'card', data: '4242424242424243' }, 'data'],
    [{ type: 'pin', data: '4242424242424243' }, 'type'],
    [{ type: 'token', data: null }, 'data'],
    [{ data: '4242424242424243' }, 'type'],
    [{ ...card, fingerprint_expression: '{{ data.number' }, 'fingerprint_expression'],
    [{ ...card, metadata: { a: 1 } }, 'metadata.a'],
    [{ ...card, size: 101 }, 'size'],
  ] as const) {
    const { status, json, text } = await look(body)
    t.equal(status, 400, text)
    t.same(Object.keys(json.errors), [member])
    t.notMatch(text, /424242424242424/)
  }
})

t.test('each lookup has an entry in the log, with what it found and without the data', async t => {
  const tenant = await openTenant(vault)
  const look = await looking(tenant)
  const one = await create(tenant, { type: 'token', data: 'a secret' })
  await look({ type: 'token', data: 'a secret' })
  await look({ type: 'token', data: 'another secret' })
  const two = await create(tenant, { type: 'token', data: 'a secret' })
  await look({ type: 'token', data: 'a secret' })
  const log = await tenant.asManagement('GET', '/logs')
  const entries = log.json.data.filter(({ operation }: { operation: string }) => operation === 'token:lookup')
  t.match(entries, [
    { actor_id: look.id, entity_type: 'token', entity_ids: [two, one], outcome: 'success' },
    { actor_id: look.id, entity_type: 'token', entity_id: undefined, entity_ids: undefined },
    { actor_id: look.id, entity_type: 'token', entity_id: one },
  ])
  t.equal(entries.length, 3)
  t.notMatch(log.text, /secret/)
})

t.test('an application, and a tenant, may look up so often in a minute', async t => {
  const lookups = { total: 100, tenant: 5, application: 3 }
  const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) }, { admissionBounds: { lookups } })
  const [tenant, other] = [await openTenant(own), await openTenant(own)]
  const look = await looking(tenant)
  await own.clock.advance(1)
  // What is refused before it is looked for counts, too.
  for (const [data, status] of [
    [number, 400],
    [{ number }, 200],
    [{ number }, 200],
    [{ number }, 429],
  ] as const) {
    t.equal((await look({ type: 'card', data })).status, status)
  }
  await own.clock.advance(29_000)
  const refused = await look(card)
  t.match(refused.json, {
    type: 'urn:surrogate:error:rate_limited',
    detail: /lookups of tokens in this minute/,
  })
  t.equal(refused.headers.get('Retry-After'), '31')
  const second = await looking(tenant)
  const statuses = []
  for (let count = 0; count < 3; count++) statuses.push((await second(card)).status)
  t.same(statuses, [200, 200, 429], 'another application has what is left of the share of the tenant')
  t.equal((await (await looking(other))(card)).status, 200, 'another tenant has its own')
  await own.clock.advance(30_999)
  t.equal((await look(card)).status, 429)
  await own.clock.advance(1)
  t.equal((await look(card)).status, 200)
})
