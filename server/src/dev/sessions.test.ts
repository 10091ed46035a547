import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

t.test('sessions are listed without their keys, and ended by hand', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const made = (await tenant.asPublic('POST', '/sessions')).json
  const plain = (await tenant.asPublic('POST', '/sessions')).json
  const grant = { nonce: made.nonce, permissions: ['token:create'] }
  t.equal((await tenant.send('POST', '/sessions/authorize', grant)).status, 200)
  const { json, text } = await tenant.asManagement('GET', '/_dev/sessions')
  t.equal(json.data.length, 2)
  const authorized = json.data.find((one: { authorizer_id?: string }) => one.authorizer_id)
  t.match(authorized, { permissions: ['token:create'], rules: 0, expires_at: made.expires_at })
  for (const { session_key, nonce } of [made, plain])
    t.notOk(text.includes(session_key) || text.includes(nonce))
  t.same((await other.asManagement('GET', '/_dev/sessions')).json, { data: [] })

  const use = () => tenant.as(made.session_key)('POST', '/tokens', { type: 'token', data: 1 })
  t.equal((await use()).status, 201)
  const path = `/_dev/sessions/${authorized.id}`
  t.equal((await other.asManagement('DELETE', path)).status, 404, 'of another tenant')
  t.equal((await use()).status, 201)
  t.equal((await tenant.asManagement('DELETE', path)).status, 204)
  t.equal((await use()).status, 401)
  t.equal((await tenant.asManagement('DELETE', path)).status, 404)
  t.equal((await tenant.asManagement('GET', '/_dev/sessions')).json.data.length, 1)
  await tenant.asManagement('POST', '/_dev/tenant/clock', { advance_ms: 86_400_000 })
  t.same((await tenant.asManagement('GET', '/_dev/sessions')).json, { data: [] }, 'expired')
})

t.test('the client lists and ends sessions', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { sessions } = vault.dev.forTenant(tenant)
  const made = (await tenant.asPublic('POST', '/sessions')).json
  const [session, ...others] = await sessions.list()
  t.match(session, { expires_at: made.expires_at })
  t.same(others, [])
  await sessions.end(session?.id ?? '')
  t.same(await sessions.list(), [])
  await t.rejects(sessions.end(session?.id ?? ''), { name: 'DevError', status: 404 })
})
