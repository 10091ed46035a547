import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'
import { permissions as everyPermission } from '../generated/facts.ts'

const applicationTypes = ['public', 'private', 'management'] as const
const vault = openVault(t)
const reading = { name: 'Reader', type: 'private', permissions: ['token:read'] }
const nowhere = '5b493235-6917-4307-906a-2cd6f1a90b13'

t.test('an application is answered with its key, and from then on without it', async t => {
  const tenant = await openTenant(vault)
  const self = (await tenant.asManagement('GET', '/applications/key')).json
  const rules = [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }]
  const created = await tenant.asManagement('POST', '/applications', { ...reading, rules })
  t.equal(created.status, 201)
  const { key, ...application } = created.json
  t.match(key, /^key_prv_[A-Za-z0-9_-]{64}$/)
  t.match(application, {
    ...reading,
    rules,
    tenant_id: tenant.tenantId,
    created_by: self.id,
    created_at: /^\d{4}-.*\.\d{6}Z$/,
  })
  for (const absent of ['key_digest', 'modified_at', 'modified_by', 'expires_at'])
    t.notOk(absent in application, absent)
  t.same((await tenant.asManagement('GET', `/applications/${application.id}`)).json, application)
  const list = await tenant.asManagement('GET', '/applications')
  t.same(list.json.data[0], application)
  t.notMatch(list.text, key)
  t.same((await tenant.as(key)('GET', '/applications/key')).json, application)
})

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

t.test('the list is paged, from the newest to the oldest', async t => {
  const tenant = await openTenant(vault)
  const made: string[] = []
  for (let index = 0; index < 4; index++)
    made.unshift((await tenant.application({ permissions: ['token:read'] })).id)
  const page = async (query: string) => (await tenant.asManagement('GET', `/applications?${query}`)).json
  const first = await page('size=3')
  t.same(first.pagination, { total_items: 7, page_number: 1, page_size: 3, total_pages: 3 })
  const ids = [...first.data, ...(await page('size=3&page=2')).data].map((one: { id: string }) => one.id)
  t.same(ids.slice(0, 4), made)
  t.equal(new Set(ids).size, 6)
  t.same((await page('size=3&page=4')).data, [])
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
  t.match(await tenant.asManagement('GET', '/applications?id=x'), {
    status: 400,
    json: { errors: { 'id.0': ['must be a uuid'] } },
  })
})

t.test('each kind may hold its own permissions and no others', async t => {
  const tenant = await openTenant(vault)
  const holders: Record<string, readonly string[]> = {
    public: ['token:create', 'token:update'],
    private: ['token:create', 'token:update', 'token:read', 'token:search', 'token:delete', 'token:use'],
    management: everyPermission.filter(one => !one.startsWith('token:')),
  }
  t.equal(everyPermission.length, 15)
  for (const type of applicationTypes) {
    for (const permission of everyPermission) {
      const body = { name: 'A', type, permissions: [permission] }
      const { status, json } = await tenant.asManagement('POST', '/applications', body)
      const may = holders[type]?.includes(permission)
      t.equal(status, may ? 201 : 400, `${type} ${permission}`)
      if (!may) t.same(Object.keys(json.errors), ['permissions'])
    }
  }
})

t.test('of rules that are wrong many times over, 100 faults are told', async t => {
  const tenant = await openTenant(vault)
  const permissions = ['token:read', 'token:update', 'token:delete', 'log:read']
  const rules = Array.from({ length: 100 }, (_, priority) => {
    return { priority, container: '/a/', transform: 'mask', permissions }
  })
  const refused = await tenant.asManagement('POST', '/applications', { name: 'A', type: 'public', rules })
  t.equal(refused.status, 400)
  t.match(refused.json.detail, /; there may be more errors than are listed$/)
  t.equal(Object.values<string[]>(refused.json.errors).flat().length, 100)
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
    const lacking = await tenant.application(
      { permissions: others.filter(one => one !== permission) },
      'management',
    )
    const at = path.replace('{id}', await target())
    t.equal((await lacking(method, at, body)).status, 403, `${method} ${path} without ${permission}`)
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

t.test('PUT sets everything but the kind and the key', async t => {
  const tenant = await openTenant(vault)
  const self = (await tenant.asManagement('GET', '/applications/key')).json.id
  const made = await tenant.asManagement('POST', '/applications', { ...reading, expires_at: '2099-01-01' })
  const { id, key, created_at } = made.json
  t.equal(made.json.expires_at, '2099-01-01T00:00:00Z')
  const rules = [{ priority: 7, container: '/b/', transform: 'redact', permissions: ['token:read'] }]
  const put = await tenant.asManagement('PUT', `/applications/${id}`, {
    name: 'Other',
    type: 'management',
    rules,
  })
  t.equal(put.status, 200)
  t.match(put.json, {
    id,
    name: 'Other',
    type: 'private',
    permissions: [],
    rules,
    created_at,
    modified_by: self,
  })
  t.ok(put.json.modified_at > created_at)
  t.notOk('expires_at' in put.json, 'what is left out is set back')
  t.notOk('key' in put.json)
  t.same((await tenant.as(key)('GET', '/applications/key')).json, put.json, 'the key goes on working')
})

t.test('only a public application may hold nothing', async t => {
  const tenant = await openTenant(vault)
  const none = { name: 'Test', permissions: [], rules: [] }
  for (const body of [none, { name: 'Test' }, { ...none, permissions: null, rules: null }]) {
    for (const type of ['private', 'management']) {
      const refused = await tenant.asManagement('POST', '/applications', { ...body, type })
      t.equal(refused.status, 400, `${type}: ${JSON.stringify(body)}`)
      t.ok(refused.json.errors.permissions)
    }
    const { json } = await tenant.asManagement('POST', '/applications', { ...body, type: 'public' })
    t.equal((await tenant.as(json.key)('POST', '/sessions')).status, 201)
    t.equal((await tenant.as(json.key)('POST', '/tokens', { type: 'token', data: 1 })).status, 403)
    t.equal((await tenant.asManagement('PUT', `/applications/${json.id}`, body)).status, 200)
    const { id } = await tenant.application({ permissions: ['token:read'] })
    const put = await tenant.asManagement('PUT', `/applications/${id}`, body)
    t.equal(put.status, 400)
    t.same(put.json.errors, { permissions: ['must not be empty when rules is empty too'] })
  }
})

t.test('new rights hold from the next request on', async t => {
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', { id: 'a-token', type: 'token', data: 'x' })
  const caller = await tenant.application({ permissions: ['token:read'] })
  const put = (permissions: string[]) =>
    tenant.asManagement('PUT', `/applications/${caller.id}`, { name: 'A', permissions })
  t.equal((await caller('GET', '/tokens/a-token')).status, 200)
  await put(['token:delete'])
  t.equal((await caller('GET', '/tokens/a-token')).status, 403)
  await put(['token:read'])
  t.equal((await caller('GET', '/tokens/a-token')).status, 200)
})

t.test('a new key replaces the old one at once, with the same rights', async t => {
  const tenant = await openTenant(vault)
  const caller = await tenant.application({ permissions: ['token:read'] })
  t.equal((await caller('GET', '/tokens')).status, 200)
  const { status, json } = await tenant.asManagement('POST', `/applications/${caller.id}/regenerate`)
  t.equal(status, 200)
  t.match(json, { id: caller.id, type: 'private', permissions: ['token:read'], modified_at: String })
  t.match(json.key, /^key_prv_/)
  t.not(json.key, caller.key)
  t.equal((await caller('GET', '/tokens')).status, 401)
  t.equal((await tenant.as(json.key)('GET', '/tokens')).status, 200)
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

t.test('a deleted application is gone, and its key at once', async t => {
  const tenant = await openTenant(vault)
  const caller = await tenant.application({ permissions: ['token:read'] })
  const path = `/applications/${caller.id}`
  t.equal((await caller('GET', '/tokens')).status, 200)
  const deleted = await tenant.asManagement('DELETE', path)
  t.equal(deleted.status, 204)
  t.equal(deleted.text, '')
  t.equal((await caller('GET', '/tokens')).status, 401)
  for (const [method, at, body] of [
    ['GET', path],
    ['PUT', path, reading],
    ['DELETE', path],
    ['POST', `${path}/regenerate`],
  ] as const) {
    t.equal((await tenant.asManagement(method, at, body)).status, 404, method)
  }
  t.equal((await tenant.asManagement('GET', '/applications')).json.pagination.total_items, 3)

  const last = await tenant.asManagement('GET', '/applications/key')
  t.equal((await tenant.asManagement('DELETE', `/applications/${last.json.id}`)).status, 204, 'even its own')
  t.equal((await tenant.asManagement('GET', '/applications/key')).status, 401)
})

t.test('a key works until its application is over, and again when that is put off', async t => {
  const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(own)
  const made = await tenant.asManagement('POST', '/applications', {
    ...reading,
    expires_at: '2030-01-01T00:01:00Z',
  })
  const caller = tenant.as(made.json.key)
  await own.clock.advance(59_999)
  t.equal((await caller('GET', '/tokens')).status, 200)
  await own.clock.advance(1)
  for (const path of ['/tokens', '/applications/key']) {
    const { status, json } = await caller('GET', path)
    t.equal(status, 401, path)
    t.equal(json.type, 'urn:surrogate:error:unauthenticated')
  }
  const path = `/applications/${made.json.id}`
  t.equal(
    (await tenant.asManagement('GET', path)).json.expires_at,
    '2030-01-01T00:01:00Z',
    'it can still be seen',
  )
  const put = (expires_at: string) => tenant.asManagement('PUT', path, { ...reading, expires_at })
  t.equal((await put('2030-01-01T00:01:00Z')).status, 400, 'not from now on')
  t.equal((await put('2030-01-01T00:01:01Z')).status, 200)
  t.equal((await caller('GET', '/tokens')).status, 200)
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

t.test('what is done to applications is in the log, with who did it, and what is read is not', async t => {
  const tenant = await openTenant(vault)
  const self = (await tenant.asManagement('GET', '/applications/key')).json.id
  const { id, key } = await tenant.application({ permissions: ['token:read'] })
  await tenant.asManagement('GET', `/applications/${id}`)
  await tenant.asManagement('PUT', `/applications/${id}`, { ...reading, name: 'A name to remember' })
  await tenant.asManagement('POST', `/applications/${id}/regenerate`)
  await tenant.asManagement('PUT', `/applications/${id}`, { ...reading, name: '' })
  await tenant.asManagement('DELETE', `/applications/${id}`)
  const log = await tenant.asManagement('GET', `/logs?entity_type=application&entity_id=${id}`)
  t.same(
    log.json.data.map((entry: { operation: string }) => entry.operation),
    ['application:delete', 'application:regenerate', 'application:update', 'application:create'],
  )
  for (const entry of log.json.data) {
    t.match(entry, { actor_id: self, actor_type: 'application', entity_type: 'application', entity_id: id })
  }
  t.notMatch(log.text, key)
  t.notMatch(log.text, 'A name to remember')
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
