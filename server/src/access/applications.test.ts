import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'

const applicationTypes = ['public', 'private', 'management'] as const
const vault = openVault(t)
const reading = { name: 'Reader', type: 'private', permissions: ['token:read'] }
const nowhere = '5b493235-6917-4307-906a-2cd6f1a90b13'

t.test('keys say what kind they are of, and no two are alike', async t => {
  const tenant = await openTenant(vault)
  const rights = { public: ['token:create'], private: ['token:read'], management: ['log:read'] }
  const keys = new Set<string>()
  for (const type of applicationTypes) {
    for (let times = 0; times < 3; times++)
      keys.add((await tenant.application({ permissions: rights[type] }, type)).key)
  }
  t.equal(keys.size, 9)
  const prefixes = [...keys].map(key => key.slice(0, 8))
  t.same([...new Set(prefixes)], ['key_pub_', 'key_prv_', 'key_mgt_'])
})

t.test('the list can be limited to ids', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const make = async (of: typeof tenant) => (await of.application({ permissions: ['token:read'] })).id
  const [first, second, foreign] = [await make(tenant), await make(tenant), await make(other)]
  const found = async (...ids: string[]) => {
    const query = ids.map(id => `id=${id}`).join('&')
    const { json } = await tenant.asManagement('GET', `/applications?${query}`)
    t.equal(json.pagination.total_items, json.data.length)
    return json.data.map(({ id }: { id: string }) => id)
  }
  t.same(await found(first), [first])
  t.same(await found(first, second.toUpperCase(), first), [second, first])
  t.same(await found(foreign), [])
  const seen = await tenant.asManagement('GET', '/applications?id=x')
  t.match(seen, { status: 400, json: { errors: { 'id.0': ['must be a uuid'] } } })
})

t.test('each operation asks for its own permission, and any key may ask who it is', async t => {
  const tenant = await openTenant(vault)
  const target = async () => (await tenant.application({ permissions: ['token:read'] })).id
  const operations: readonly [permission: string, method: string, path: string, body?: JsonValue][] = [
    ['application:create', 'POST', '/applications', reading],
    ['application:read', 'GET', '/applications'],
    ['application:read', 'GET', '/applications/{id}'],
    ['application:update', 'PUT', '/applications/{id}', reading],
    ['application:update', 'POST', '/applications/{id}/regenerate'],
    ['application:update', 'POST', '/applications/{id}/keys'],
    ['application:read', 'GET', '/applications/{id}/keys'],
    ['application:delete', 'DELETE', '/applications/{id}'],
  ]
  const others = ['create', 'read', 'update', 'delete'].map(one => `application:${one}`)
  for (const [permission, method, path, body] of operations) {
    const holding = await tenant.application({ permissions: [permission] }, 'management')
    const missingPermission = await tenant.application(
      { permissions: others.filter(one => one !== permission) },
      'management',
    )
    const at = path.replace('{id}', await target())
    t.equal(
      (await missingPermission(method, at, body)).status,
      403,
      `${method} ${path} without ${permission}`,
    )
    t.ok((await holding(method, at, body)).status < 300, `${method} ${path} with ${permission}`)
  }
  for (const [type, permissions] of [
    ['public', ['token:create']],
    ['private', ['token:delete']],
    ['management', ['reactor:delete']],
  ] as const) {
    const caller = await tenant.application({ permissions: [...permissions] }, type)
    const { status, json } = await caller('GET', '/applications/key')
    t.equal(status, 200, type)
    t.match(json, { id: caller.id, type, permissions })
    t.notOk('key' in json)
  }
  t.equal((await tenant.as(undefined)('GET', '/applications/key')).status, 401)
})

t.test('of racing new keys exactly one works', async t => {
  const tenant = await openTenant(vault)
  const { id } = await tenant.application({ permissions: ['token:read'] })
  const again = () => tenant.asManagement('POST', `/applications/${id}/regenerate`)
  const replies = await Promise.all(Array.from({ length: 10 }, again))
  t.same(new Set(replies.map(reply => reply.status)), new Set([200]))
  const worked = await Promise.all(replies.map(reply => tenant.as(reply.json.key)('GET', '/tokens')))
  t.equal(worked.filter(reply => reply.status === 200).length, 1)
  t.equal(worked.filter(reply => reply.status === 401).length, 9)
})

t.test('tenants are sealed from each other', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const theirs = await other.application({ permissions: ['token:read'] })
  const path = `/applications/${theirs.id}`
  const [key] = (await other.asManagement('GET', `${path}/keys`)).json
  for (const [method, at, body] of [
    ['GET', path],
    ['PUT', path, reading],
    ['DELETE', path],
    ['POST', `${path}/regenerate`],
    ['POST', `${path}/keys`],
    ['GET', `${path}/keys`],
    ['DELETE', `${path}/keys/${key.id}`],
  ] as const) {
    const strange = await tenant.asManagement(method, at, body)
    const missing = await tenant.asManagement(method, at.replace(theirs.id, nowhere), body)
    t.equal(strange.status, 404, method)
    t.equal(strange.json.detail, missing.json.detail, 'as if it were not there')
  }
  t.equal((await theirs('GET', '/tokens')).status, 200)
  t.notMatch((await tenant.asManagement('GET', '/applications')).text, theirs.id)
  t.match((await other.asManagement('GET', '/applications')).text, theirs.id)
})

t.test('members that do not belong to a rule are ignored and not kept', async t => {
  const tenant = await openTenant(vault)
  const conditions = [{ attribute: 'id', operator: 'equals', value: 'abc', extra: 1 }]
  const { json } = await tenant.asManagement('POST', '/applications', {
    name: 'Extra',
    type: 'private',
    rules: [{ priority: 1, conditions, transform: 'mask', permissions: ['token:read'], extra: 'x' }],
  })
  t.strictSame(json.rules, [
    {
      priority: 1,
      conditions: [{ attribute: 'id', operator: 'equals', value: 'abc' }],
      transform: 'mask',
      permissions: ['token:read'],
    },
  ])
})
