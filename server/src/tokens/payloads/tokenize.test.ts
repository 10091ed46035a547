import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'

const vault = openVault(t)
const card = { type: 'card', data: { number: '4242424242424242' } }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const countOf = async (tenant: TestTenant) =>
  (await tenant.send('GET', '/tokens')).json.pagination.total_items as number
const dataOf = async (tenant: TestTenant, id: string) => (await tenant.send('GET', `/tokens/${id}`)).json.data

t.test(
  'a description becomes a token object, a bare value an id, lists and objects keep their shape',
  async t => {
    const tenant = await openTenant(vault)
    const payload = {
      card,
      people: [{ name: 'Ada', age: 36, member: true }, { emails: ['a@b.c'] }],
      type: 'no data beside it',
      nothing: null,
      empty: [{}, []],
    }
    const { status, json } = await tenant.send('POST', '/tokenize', payload)
    t.equal(status, 200)
    t.match(json.card, { id: uuid, type: 'card', data: { number: 'XXXXXXXXXXXX4242' }, created_at: /Z$/ })
    const [first, second] = json.people
    t.equal(await dataOf(tenant, first.name), 'Ada')
    t.equal(await dataOf(tenant, first.age), 36)
    t.equal(await dataOf(tenant, first.member), true)
    t.equal(await dataOf(tenant, second.emails[0]), 'a@b.c')
    t.equal(await dataOf(tenant, json.type), 'no data beside it')
    t.same(json.empty, [{}, []])
    t.equal(json.nothing, null)
    t.same(Object.keys(json), Object.keys(payload))
    t.equal(await countOf(tenant), 6)
  },
)

t.test('a bare value becomes a token like any other of type token', async t => {
  const tenant = await openTenant(vault)
  const { json: id } = await tenant.send('POST', '/tokenize', { v: 'plain' })
  const made = (await tenant.send('GET', `/tokens/${id.v}`)).json
  const created = (await tenant.send('POST', '/tokens', { type: 'token', data: 'plain' })).json
  const own = { id: '', created_at: '' }
  t.same({ ...made, ...own }, { ...created, data: 'plain', ...own })
})

t.test('the payload itself may be one value or one description', async t => {
  const tenant = await openTenant(vault)
  for (const value of ['text', '', 0, false, '{{ braces }}'] as const) {
    const { status, text } = await tenant.send('POST', '/tokenize', { raw: JSON.stringify(value) })
    t.equal(status, 200)
    t.equal(await dataOf(tenant, JSON.parse(text)), value)
  }
  t.match((await tenant.send('POST', '/tokenize', card)).json, { id: uuid, type: 'card' })
  t.equal((await tenant.send('POST', '/tokenize', { raw: 'null' })).status, 400)
  t.same((await tenant.send('POST', '/tokenize', [])).json, [])
})

t.test('a description accepts all that a create accepts, and returns the same', async t => {
  const tenant = await openTenant(vault)
  const description = {
    id: 'my own: "id".',
    type: 'social_security_number',
    data: '123-45-6789',
    mask: '{{ data | reveal_last: 2 }}',
    containers: ['/pii/high/', '/pii/low/'],
    metadata: { a: 'b' },
    search_indexes: ['{{ data | last4 }}'],
    fingerprint_expression: '{{ data }}',
    expires_at: '2999-01-01',
  }
  const created = (await tenant.send('POST', '/tokens', description)).json
  await tenant.send('DELETE', `/tokens/${encodeURIComponent(description.id)}`)
  const { json } = await tenant.send('POST', '/tokenize', [description])
  t.same({ ...json[0], created_at: '' }, { ...created, created_at: '' })
})

t.test('a card keeps its verification code for an hour', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const data = { ...card.data, cvc: '123' }
  const { json } = await tenant.send('POST', '/tokenize', { card: { ...card, data } })
  t.same(await dataOf(tenant, json.card.id), data)
  await own.clock.advance(3_600_000)
  t.same(await dataOf(tenant, json.card.id), card.data)
})

t.test('what is wrong with any of them is said of all of them, and nothing is stored', async t => {
  const tenant = await openTenant(vault)
  const reply = await tenant.send('POST', '/tokenize', {
    fine: 'value',
    cards: [card, { type: 'card', data: { number: '4242424242424241' } }],
    wrong: { type: 'nothing', data: 1 },
    empty: { type: 'token', data: null },
    late: { type: 'token', data: 1, expires_at: '2001-01-01' },
    mask: { type: 'token', data: 1, mask: '{{ data | nonsense }}' },
    index: { type: 'token', data: {}, search_indexes: ['{{ data.x }}'] },
    'not a name': { deep: { type: 'token', data: 1, id: 'x' } },
  })
  t.equal(reply.status, 400)
  t.match(reply.json, { type: 'urn:surrogate:error:validation' })
  t.same(Object.keys(reply.json.errors), [
    'cards.1.data.number',
    'wrong.type',
    'empty.data',
    'late.expires_at',
    'mask.mask',
    'index.search_indexes.0',
    '?.deep.id',
  ])
  t.equal(await countOf(tenant), 0)
})

t.test('all or nothing: a last one that cannot be stored leaves none', async t => {
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', { id: 'taken', type: 'token', data: 'x' })
  const payload = (id: string): JsonValue => [
    ...Array(20).keys(),
    card,
    { deep: { id, type: 'token', data: 1 } },
  ]
  const refused = await tenant.send('POST', '/tokenize', payload('taken'))
  t.equal(refused.status, 409)
  t.same(refused.json.errors, { '21.deep.id': ['is taken by another token'] })
  t.equal(await countOf(tenant), 1)
  t.equal((await tenant.send('POST', '/tokenize', payload('free'))).status, 200)
  t.equal(await countOf(tenant), 23)
})

t.test('all of several taken ids are named', async t => {
  const tenant = await openTenant(vault)
  const payload = ['one', 'two', 'three'].map(id => ({ id, type: 'token', data: 1 }))
  await tenant.send('POST', '/tokenize', [payload[0] ?? null, payload[2] ?? null])
  const { status, json } = await tenant.send('POST', '/tokenize', payload)
  t.equal(status, 409)
  t.same(Object.keys(json.errors), ['0.id', '2.id'])
})

t.test('an id that two of one payload give is refused, and free again once its token is gone', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const token = (id: string, data: JsonValue) => ({ id, type: 'token', data })
  const twice = await tenant.send('POST', '/tokenize', [token('same', 1), token('same', 2)])
  t.equal(twice.status, 400)
  t.same(Object.keys(twice.json.errors), ['1.id'])
  const expires_at = new Date((await own.clock.now()) + 30_000).toISOString()
  await tenant.send('POST', '/tokenize', [{ ...token('same', 1), expires_at }, token('other', 2)])
  t.equal((await tenant.send('POST', '/tokenize', [token('same', 3)])).status, 409)
  // The sweep comes by once a minute; the id is free from the instant.
  await own.clock.advance(30_000)
  t.equal((await tenant.send('POST', '/tokenize', [token('same', 3)])).status, 200)
  t.equal(await dataOf(tenant, 'same'), 3)
})

t.test('ids by expression step aside for each other and for what is there', async t => {
  const tenant = await openTenant(vault)
  const made = { id: 'n{{ data | alias_preserve_format: 1, 1 }}', type: 'token', data: '123' }
  await tenant.send('POST', '/tokens', { id: 'n143', type: 'token', data: 'given' })
  const { status, json } = await tenant.send('POST', '/tokenize', [
    ...Array.from({ length: 30 }, () => made),
    { id: 'n153', type: 'token', data: 'given' },
  ])
  t.equal(status, 200)
  const ids: string[] = json.map((token: { id: string }) => token.id)
  t.equal(new Set(ids).size, 31)
  t.notOk(ids.includes('n143'))
  t.equal(ids.at(-1), 'n153', 'a given id is never another’s')
  t.ok(ids.filter(id => uuid.test(id)).length >= 20, 'there are ten aliases, eight of them free')
  t.equal(await countOf(tenant), 32)

  const constant = { id: "{{ 'always' }}", type: 'token', data: 1 }
  const first = (await tenant.send('POST', '/tokenize', [constant, constant])).json
  t.equal(first[0].id, 'always')
  t.match(first[1].id, uuid)
  const second = (await tenant.send('POST', '/tokenize', [constant])).json
  t.match(second[0].id, uuid)
})

t.test('token:create is asked for every container of every token', async t => {
  const tenant = await openTenant(vault)
  const creator = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:create'] }],
  })
  const token = (...containers: string[]) => ({ type: 'token', data: 'x', mask: '*', containers })
  t.equal((await creator('POST', '/tokenize', [token('/a/'), token('/a/b/', '/b/')])).status, 403)
  t.equal((await creator('POST', '/tokenize', ['bare'])).status, 403)
  t.equal(await countOf(tenant), 0)
  const { status, json } = await creator('POST', '/tokenize', [token('/a/'), token('/a/b/', '/A/')])
  t.equal(status, 200)
  t.equal(json[0].data, '*', 'never more than the mask, even under reveal')
  const reader = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }],
  })
  t.equal((await reader('GET', '/tokens')).json.pagination.total_items, 2, 'sets of containers are known')
  t.equal((await tenant.asManagement('POST', '/tokenize', ['x'])).status, 403)
  t.equal((await tenant.asPublic('POST', '/tokenize', ['x'])).status, 200)
})

t.test('what is not valid is said before what is not allowed', async t => {
  const tenant = await openTenant(vault)
  const creator = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:create'] }],
  })
  t.equal((await creator('POST', '/tokenize', ['x', { type: 'card', data: {} }])).status, 400)
  t.equal((await creator('POST', '/tokenize', ['x', card])).status, 403)
})

t.test('redacted by its rule, a new token shows no data', async t => {
  const tenant = await openTenant(vault)
  const creator = await tenant.application({
    rules: [{ priority: 1, container: '/', transform: 'redact', permissions: ['token:create'] }],
  })
  const { json } = await creator('POST', '/tokenize', { card })
  t.notOk('data' in json.card)
})
