import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const vault = openVault(t)

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

t.test('an application has at most two keys, also when requests race', async t => {
  const { works, list, add } = await subject()
  const replies = await Promise.all(Array.from({ length: 5 }, () => add()))
  const [made, ...others] = replies.filter(({ status }) => status === 201)
  t.same(others, [])
  const left = replies.filter(reply => reply !== made).map(({ status, json }) => [status, json.type])
  t.match(
    left,
    Array.from({ length: 4 }, () => [409, 'urn:surrogate:error:conflict']),
  )
  t.equal(await works(made?.json.key), 200)
  t.equal((await list()).length, 2)
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
