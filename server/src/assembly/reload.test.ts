import t from 'tap'
import { withPostgres } from '../../verify/support/postgres.ts'
import { makeFormula, makeReactor, openReactors } from '../../verify/support/reactors.ts'
import { openReplicas } from '../../verify/support/replicas.ts'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { backend, file, ids, keys, management, otherId } from '../access/bootstrap.cases.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { openAuthorized } from '../sessions/_fixture.ts'

const removed = { ...backend, removed: true }
const other = { id: otherId, applications: [{ ...backend, id: ids.other, key: keys.other }] }
const both = (json: JsonValue) => ({
  tenants: [...(json as { tenants: JsonObject[] }).tenants, other as unknown as JsonObject],
})

t.test('a new file adds what it names, and leaves alone what it does not', async t => {
  const vault = openVault(t, { bootstrap: file([backend]) })
  const as = (key: string) => sender(vault, key)
  t.equal((await as(keys.private)('POST', '/tokens', { id: 'kept', type: 'token', data: 1 })).status, 201)
  t.equal((await as(keys.management)('GET', '/applications')).status, 401)
  await vault.reload(both(file([management])))
  t.equal((await as(keys.management)('GET', '/applications')).status, 200, 'another application')
  t.equal((await as(keys.other)('GET', '/tokens')).status, 200, 'another tenant')
  t.equal((await as(keys.private)('GET', '/tokens/kept')).status, 200, 'what is not named stays')
  await vault.reload(file([{ ...management, permissions: ['application:create'] }]))
  t.equal((await as(keys.management)('GET', '/applications')).status, 403, 'what is named is set')
})

t.test('a removed application loses its keys', async t => {
  const vault = openVault(t, { bootstrap: file([management, backend]) })
  const as = (key: string) => sender(vault, key)
  const more = await as(keys.management)('POST', `/applications/${ids.private}/keys`)
  for (const key of [keys.private, more.json.key]) t.equal((await as(key)('GET', '/tokens')).status, 200)
  await vault.reload(file([management, { id: ids.private, removed: true }]))
  for (const key of [keys.private, more.json.key]) t.equal((await as(key)('GET', '/tokens')).status, 401)
  t.equal((await as(keys.management)('GET', `/applications/${ids.private}`)).status, 404)
  await t.resolves(vault.reload(file([management, removed])), 'again, and with the rest of its members')
  await vault.reload(file([management, { ...backend, key: 'a-new-key-of-the-file' }]))
  t.equal((await as('a-new-key-of-the-file')('GET', '/tokens')).status, 200, 'it may come back')
  t.equal((await as(keys.private)('GET', '/tokens')).status, 401)
})

t.test('its sessions end, and a reactor that acts as it cannot act', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const session = await openAuthorized(tenant, { permissions: ['token:read'] })
  const authorizer = (await tenant.send('GET', '/applications/key')).json.id
  const helper = await tenant.application({ permissions: ['token:read'] })
  const code = 'module.exports = async ({ svc }) => ({ raw: (await svc.tokens.list()).data.length })'
  const formula = await makeFormula(tenant, code)
  const reactor = await makeReactor(tenant, formula.id, { application: { id: helper.id } })
  const user = await tenant.application({ permissions: ['token:use'] })
  const react = () => user('POST', `/reactors/${reactor.id}/react`, { args: {} })
  t.equal((await react()).status, 200)
  t.equal((await tenant.as(session.key)('GET', '/tokens')).status, 200)
  const applications = [authorizer, helper.id].map(id => ({ id, removed: true }))
  await vault.reload({ tenants: [{ id: tenant.tenantId, applications }] })
  t.equal((await tenant.as(session.key)('GET', '/tokens')).status, 401)
  t.match(await react(), { status: 500, json: { title: 'Reactor Runtime Error' } })
  t.equal((await tenant.asManagement('DELETE', `/reactors/${reactor.id}`)).status, 204)
  const { data } = (await tenant.asManagement('GET', '/logs?entity_type=application')).json
  t.match(data[0], { operation: 'application:delete', actor_id: null })
})

t.test('after a reset a test server has what the last file says', async t => {
  const vault = openVault(t, { bootstrap: file([backend]) })
  await vault.reload(both(file([management])))
  await vault.reset()
  t.equal((await sender(vault, keys.other)('GET', '/tokens')).status, 200)
  t.equal((await sender(vault, keys.private)('GET', '/tokens')).status, 401)
})

t.test('a reload at one server counts at all of them at once', withPostgres, async t => {
  const { vaults } = await openReplicas(t, { bootstrap: file([management, backend]) })
  const statuses = (key: string) =>
    Promise.all(vaults.map(async vault => (await sender(vault, key)('GET', '/tokens')).status))
  for (const vault of vaults) await vault.ready()
  t.same(await statuses(keys.private), [200, 200])
  await vaults[0].reload(both(file([management, removed])))
  t.same(await statuses(keys.private), [401, 401])
  t.same(await statuses(keys.other), [200, 200])
})
