import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'

const vault = openVault(t)
const card = { type: 'card', data: { number: '4242424242424242' } }

const countOf = async (tenant: TestTenant) =>
  (await tenant.send('GET', '/tokens')).json.pagination.total_items as number

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

t.test('what is not valid is said before what is not allowed', async t => {
  const tenant = await openTenant(vault)
  const creator = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:create'] }],
  })
  t.equal((await creator('POST', '/tokenize', ['x', { type: 'card', data: {} }])).status, 400)
  t.equal((await creator('POST', '/tokenize', ['x', card])).status, 403)
})
