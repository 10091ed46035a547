import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const vault = openVault(t)
const nowhere = '0c6a2c1a-93f8-4a43-8f31-5a3c9ad5bb09'

/** A tenant, and an application with its path. */
async function subject() {
  const tenant = await openTenant(vault)
  const first = await tenant.application({ permissions: ['token:read'] })
  const path = `/applications/${first.id}`
  const works = async (key: string) => (await tenant.as(key)('GET', '/tokens')).status
  const list = async () => (await tenant.asManagement('GET', `${path}/keys`)).json
  const add = (headers = {}) => tenant.asManagement('POST', `${path}/keys`, undefined, headers)
  const revoke = (id: string) => tenant.asManagement('DELETE', `${path}/keys/${id}`)
  return { tenant, first, path, works, list, add, revoke }
}

t.test('an application changes its key without a pause', async t => {
  const { tenant, first, works, list, add, revoke } = await subject()
  const [only] = await list()
  t.equal(only.last_four, first.key.slice(-4))
  const second = await add()
  t.equal(second.status, 201)
  t.match(second.json.key, /^key_prv_/)
  t.same([await works(first.key), await works(second.json.key)], [200, 200])
  const own = await tenant.as(second.json.key)('GET', '/applications/key')
  t.match(own.json, { id: first.id, permissions: ['token:read'] })
  t.notMatch(own.text, /key/)

  t.equal((await revoke(only.id)).status, 204)
  t.same([await works(first.key), await works(second.json.key)], [401, 200])
  const { key, ...shown } = second.json
  t.same(await list(), [shown])
  t.equal((await add()).status, 201, 'and again')
})

t.test('keys are listed without their secrets, the newest first', async t => {
  const { tenant, first, path, add } = await subject()
  const second = await add()
  const listed = await tenant.asManagement('GET', `${path}/keys`)
  for (const { key } of [first, second.json]) t.notMatch(listed.text, key.slice(8, -4))
  const [newer, older] = listed.json
  const { key, ...shown } = second.json
  t.same(newer, shown)
  t.ok(older.created_at < newer.created_at)
  t.not(older.id, newer.id)
  for (const at of ['/applications', path]) {
    t.notMatch((await tenant.asManagement('GET', at)).text, /digest|key/, at)
  }
})

t.test('an application has at most two keys, also when requests race', async t => {
  const { works, list, add } = await subject()
  const replies = await Promise.all(Array.from({ length: 5 }, () => add()))
  const [made, ...others] = replies.filter(({ status }) => status === 201)
  t.same(others, [])
  t.match(
    replies.filter(reply => reply !== made).map(({ status, json }) => [status, json.type]),
    Array.from({ length: 4 }, () => [409, 'urn:surrogate:error:conflict']),
  )
  t.equal(await works(made?.json.key), 200)
  t.equal((await list()).length, 2)
})

t.test('the only key and an unknown one cannot be revoked', async t => {
  const { tenant, first, works, list, add, revoke } = await subject()
  const [only] = await list()
  const other = await tenant.application({ permissions: ['token:read'] })
  const [foreign] = (await tenant.asManagement('GET', `/applications/${other.id}/keys`)).json
  t.match(await revoke(only.id), { status: 409, json: { type: 'urn:surrogate:error:conflict' } })
  t.equal((await revoke(nowhere)).status, 404)
  t.equal((await revoke('a')).status, 400)
  await add()
  t.equal((await revoke(foreign.id)).status, 404, 'the key of another application')
  t.same([await works(first.key), await works(other.key)], [200, 200])
  t.equal((await revoke(only.id.toUpperCase())).status, 204)
  t.equal((await revoke(only.id)).status, 404)
})

t.test('of two keys that are revoked at once, one is left', async t => {
  const { list, add, revoke, works, first } = await subject()
  const second = await add()
  const statuses = await Promise.all(
    (await list()).map(async ({ id }: { id: string }) => (await revoke(id)).status),
  )
  t.same(statuses.sort(), [204, 409])
  t.same([await works(first.key), await works(second.json.key)].sort(), [200, 401])
})

t.test('who may only read applications cannot revoke', async t => {
  const { tenant, path, list, add } = await subject()
  await add()
  const [{ id }] = await list()
  for (const [permission, status] of [
    ['application:read', 403],
    ['application:create', 403],
    ['application:update', 204],
  ] as const) {
    const caller = await tenant.application({ permissions: [permission] }, 'management')
    t.equal((await caller('DELETE', `${path}/keys/${id}`)).status, status, permission)
  }
  t.equal((await tenant.send('GET', `${path}/keys`)).status, 403, 'a private key')
})

t.test('a regenerated key replaces both, and a deleted application leaves none', async t => {
  const { tenant, first, path, works, list, add } = await subject()
  const second = await add()
  const third = await tenant.asManagement('POST', `${path}/regenerate`)
  const keys = [first.key, second.json.key, third.json.key]
  t.same(await Promise.all(keys.map(works)), [401, 401, 200])
  t.equal((await list()).length, 1)
  const fourth = await add()
  t.equal(fourth.status, 201)
  t.equal((await tenant.asManagement('DELETE', path)).status, 204)
  t.same(await Promise.all([third.json.key, fourth.json.key].map(works)), [401, 401])
  for (const method of ['GET', 'POST']) {
    t.equal((await tenant.asManagement(method, `${path}/keys`)).status, 404, method)
  }
})

t.test('a repeated request returns the same key until it is revoked', async t => {
  const { list, add, revoke } = await subject()
  const keyed = { 'SVC-IDEMPOTENCY-KEY': 'one' }
  const made = await add(keyed)
  t.equal(made.status, 201)
  t.match(await add(keyed), { status: 201, json: made.json })
  t.equal((await list()).length, 2)
  t.equal((await revoke(made.json.id)).status, 204)
  t.equal((await add(keyed)).status, 404)
  t.equal((await add({ 'SVC-IDEMPOTENCY-KEY': 'two' })).status, 201)
})

t.test('sessions of a revoked key go on, and the log says who added and revoked it', async t => {
  const { tenant, path, first } = await subject()
  const page = await tenant.application({ permissions: ['token:create'] }, 'public')
  const at = `/applications/${page.id}/keys`
  const { session_key } = (await page('POST', '/sessions')).json
  const [{ id }] = (await tenant.asManagement('GET', at)).json
  t.equal((await tenant.asManagement('POST', at)).status, 201)
  t.equal((await tenant.asManagement('DELETE', `${at}/${id}`)).status, 204)
  t.equal((await page('POST', '/sessions')).status, 401)
  t.equal((await tenant.as(session_key)('GET', '/tokens')).status, 403, 'not authorized, but known')
  const self = (await tenant.asManagement('GET', '/applications/key')).json.id
  const { data } = (await tenant.asManagement('GET', `/logs?entity_id=${page.id}`)).json
  t.match(
    data.map(({ operation, actor_id }: Record<string, string>) => [operation, actor_id]),
    [
      ['application:revoke_key', self],
      ['application:add_key', self],
      ['application:create', self],
    ],
  )
  t.equal((await first('GET', '/tokens')).status, 200)
  t.match((await tenant.asManagement('GET', path)).json, { id: first.id })
})

t.test('an export has the older of two keys', async t => {
  const { tenant, first, add } = await subject()
  await add()
  const { fixtures } = await vault.dev.forTenant(tenant).export({ values: 'plain' })
  const { applications } = (fixtures as { tenants: [{ applications: { id: string; key: string }[] }] })
    .tenants[0]
  const exported = applications.find(({ id }) => id === first.id)
  t.equal(exported?.key, first.key)
  t.notOk(exported && 'second_key_digest' in exported)
})
