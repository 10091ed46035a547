import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const vault = openVault(t)
const path = '/tenants/self'

t.test('private and management keys read their tenant, others do not', async t => {
  const tenant = await openTenant(vault)
  const { status, json } = await tenant.asManagement('GET', path)
  t.equal(status, 200)
  t.same(Object.keys(json).sort(), ['created_at', 'id', 'name'], 'and no settings of the operator')
  t.equal(json.id, tenant.tenantId)
  const without = await tenant.application({ permissions: ['token:read'] })
  for (const send of [tenant.send, without]) t.same((await send('GET', path)).json, json)
  const { session_key } = (await tenant.asPublic('POST', '/sessions')).json
  for (const send of [tenant.asPublic, tenant.as(session_key)]) {
    t.equal((await send('GET', path)).status, 403)
    const renamed = await send('PUT', path, { name: 'Taken over' })
    t.equal(renamed.status, 403)
  }
  t.equal((await tenant.as(undefined)('GET', path)).status, 401)
  const other = await openTenant(vault)
  t.equal((await other.send('GET', path)).json.id, other.tenantId)
})

t.test('a tenant is renamed by who may change applications, and nothing else of it changes', async t => {
  const tenant = await openTenant(vault, { operator: true })
  const before = (await tenant.send('GET', path)).json
  const reader = await tenant.application({ permissions: ['application:read'] }, 'management')
  t.equal((await reader('PUT', path, { name: 'Example shop' })).status, 403)
  for (const refused of [{}, { name: '' }, { name: 'x'.repeat(201) }, { name: null }, { name: 7 }])
    t.equal((await tenant.asManagement('PUT', path, refused)).status, 400, JSON.stringify(refused))
  t.equal((await tenant.send('GET', path)).json.name, before.name)

  const others = { id: '5b493235-6917-4307-906a-2cd6f1a90b13', operator: false, webhook_secret: 'whsec_a' }
  const renamer = await tenant.application({ permissions: ['application:update'] }, 'management')
  const { status, json } = await renamer('PUT', path, { name: 'Example shop', ...others })
  t.equal(status, 200)
  const { modified_at, ...rest } = json
  t.same(rest, { ...before, name: 'Example shop' })
  t.ok(modified_at > before.created_at)
  t.same((await tenant.send('GET', path)).json, json)
  const official = { name: 'Official', type: 'official', code: '-' }
  t.equal(
    (await tenant.asManagement('POST', '/reactor-formulas', official)).status,
    201,
    'still the operator',
  )

  const { data } = (await tenant.asManagement('GET', '/logs?entity_type=tenant')).json
  // Refusals are written after their response.
  t.match(
    data.toSorted((a: { outcome: string }, b: { outcome: string }) => (a.outcome < b.outcome ? 1 : -1)),
    [
      {
        operation: 'tenant:update',
        entity_id: tenant.tenantId,
        actor_id: renamer.id,
        outcome: 'success',
      },
      { operation: 'application:update', outcome: 'refused', actor_id: reader.id },
    ],
  )
  t.notMatch(JSON.stringify(data), 'Example shop')
})

t.test('a repeated request does not rename again', async t => {
  const tenant = await openTenant(vault)
  const rename = (name: string, key: string) =>
    tenant.asManagement('PUT', path, { name }, { 'SVC-IDEMPOTENCY-KEY': key })
  await rename('First', 'a')
  await rename('Second', 'b')
  t.match(await rename('First', 'a'), { status: 200, json: { name: 'Second' } })
  t.equal((await rename('Third', 'a')).status, 422)
  t.equal((await tenant.send('GET', path)).json.name, 'Second')
})

t.test('every permission is listed with those who may hold it, as creating an application shows', async t => {
  const tenant = await openTenant(vault)
  const { status, json } = await tenant.asPublic('GET', '/permissions')
  t.equal(status, 200)
  t.same((await tenant.asManagement('GET', '/permissions')).json, json)
  t.ok(json.length > 10)
  for (const { type, description, application_types } of json) {
    t.match(description, /^[A-Z].+/)
    for (const kind of ['public', 'private', 'management']) {
      const body = { name: 'Test', type: kind, permissions: [type] }
      const created = (await tenant.asManagement('POST', '/applications', body)).status === 201
      t.equal(created, application_types.includes(kind), `${type} for ${kind}`)
    }
  }
  const { session_key } = (await tenant.asPublic('POST', '/sessions')).json
  t.equal((await tenant.as(session_key)('GET', '/permissions')).status, 403)
})
