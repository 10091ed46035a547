import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'

const vault = openVault(t)
const nobody = '5b493235-6917-4307-906a-2cd6f1a90b13'

/** The least a formula needs. */
const least = { name: 'Least', type: 'private', code: 'module.exports = () => ({})' }

async function made(tenant: TestTenant, more: JsonObject = {}) {
  const reply = await tenant.asManagement('POST', '/reactor-formulas', { ...least, ...more })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json
}

t.test('a formula is what it was made as', async t => {
  const tenant = await openTenant(vault)
  const whole = {
    name: 'Whole',
    description: 'All that there can be',
    type: 'private',
    icon: 'data:image/png;base64,iVBORw0KGgo=',
    code: 'module.exports = async req => ({ raw: req.args })',
    configuration: [{ name: 'URL', description: 'Where to', type: 'string' }],
    request_parameters: [
      { name: 'card.number', description: 'A card', type: 'string' },
      { name: 'amount', type: 'number', optional: true },
    ],
  }
  const created = await made(tenant, whole)
  const application = (await tenant.asManagement('GET', '/applications/key')).json.id
  t.same(created, {
    id: created.id,
    ...whole,
    request_parameters: [{ ...whole.request_parameters[0], optional: false }, whole.request_parameters[1]],
    status: 'verified',
    created_by: application,
    created_at: created.created_at,
  })
  const path = `/reactor-formulas/${created.id}`
  t.same((await tenant.asManagement('GET', path)).json, created)
  t.same(
    (await tenant.asManagement('GET', path.toUpperCase().replace('/REACTOR-FORMULAS', '/reactor-formulas')))
      .json,
    created,
  )

  const updated = await tenant.asManagement('PUT', path, { ...least, name: 'Another' })
  t.match(updated, { status: 200, json: { id: created.id, name: 'Another', modified_by: application } })
  t.match(updated.json, { created_at: created.created_at, modified_at: /Z$/, configuration: [] })
  t.notOk('description' in updated.json, 'PUT replaces the whole')
  t.same((await tenant.asManagement('GET', path)).json, updated.json)

  t.match(await tenant.asManagement('DELETE', path), { status: 204, text: '' })
  for (const method of ['GET', 'DELETE'])
    t.match(await tenant.asManagement(method, path), { status: 404, json: { type: /not_found/ } })
  t.equal((await tenant.asManagement('PUT', path, least)).status, 404)
})

t.test('a formula without code is coming soon', async t => {
  const tenant = await openTenant(vault)
  const soon = await made(tenant, { code: '' })
  t.equal(soon.status, 'coming_soon')
  const now = await tenant.asManagement('PUT', `/reactor-formulas/${soon.id}`, least)
  t.equal(now.json.status, 'verified')
})

t.test('each member has its limits', async t => {
  const tenant = await openTenant(vault)
  const settings = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `s${index}`, type: 'string' }))
  const setting = (more: JsonObject) => ({ configuration: [{ name: 'a', type: 'string', ...more }] })
  const parameter = (more: JsonObject) => ({ request_parameters: [{ name: 'a', type: 'string', ...more }] })
  const png = 'data:image/png;base64,'
  const rows: [string, bad: JsonObject, good: JsonObject, at: string][] = [
    ['name missing', { name: null }, { name: 'a' }, 'name'],
    ['name empty', { name: '' }, { name: 'a' }, 'name'],
    ['name too long', { name: 'x'.repeat(201) }, { name: 'x'.repeat(200) }, 'name'],
    ['name a number', { name: 1 }, { name: '1' }, 'name'],
    [
      'description too long',
      { description: 'x'.repeat(1001) },
      { description: 'x'.repeat(1000) },
      'description',
    ],
    ['type unknown', { type: 'public' }, { type: 'private' }, 'type'],
    ['type null', { type: null }, { type: 'private' }, 'type'],
    ['code null', { code: null }, { code: '' }, 'code'],
    ['code too long', { code: 'x'.repeat(50_001) }, { code: 'x'.repeat(50_000) }, 'code'],
    ['code of too many bytes', { code: 'é'.repeat(25_001) }, { code: 'é'.repeat(25_000) }, 'code'],
    ['icon no data URL', { icon: 'https://example.org/a.png' }, { icon: `${png}iVBO` }, 'icon'],
    [
      'icon of another type',
      { icon: 'data:image/gif;base64,R0lG' },
      { icon: 'data:image/jpg;base64,R0lG' },
      'icon',
    ],
    ['icon with two blanks', { icon: `${png}  iVBO` }, { icon: `${png} iVBO` }, 'icon'],
    ['icon without an image', { icon: png }, { icon: '' }, 'icon'],
    ['icon not in base64', { icon: `${png}a b` }, { icon: 'data:image/jpeg;base64,abcd' }, 'icon'],
    [
      'icon too long',
      { icon: png + 'a'.repeat(50_000) },
      { icon: png + 'a'.repeat(50_000 - png.length) },
      'icon',
    ],
    ['26 settings', { configuration: settings(26) }, { configuration: settings(25) }, 'configuration'],
    ['settings no list', { configuration: {} }, { configuration: null }, 'configuration'],
    ['setting without a name', setting({ name: null }), setting({}), 'configuration.0.name'],
    ['setting with a dot', setting({ name: 'a.b' }), setting({ name: 'a_b-C1' }), 'configuration.0.name'],
    ['setting with an empty name', setting({ name: '' }), setting({}), 'configuration.0.name'],
    [
      'setting called __proto__',
      setting({ name: '__proto__' }),
      setting({ name: '__proto' }),
      'configuration.0.name',
    ],
    [
      'setting with a long name',
      setting({ name: 'x'.repeat(201) }),
      setting({ name: 'x'.repeat(200) }),
      'configuration.0.name',
    ],
    ['setting of no type', setting({ type: null }), setting({}), 'configuration.0.type'],
    [
      'setting of another type',
      setting({ type: 'object' }),
      setting({ type: 'boolean' }),
      'configuration.0.type',
    ],
    [
      'setting with a long description',
      setting({ description: 'x'.repeat(1001) }),
      setting({ description: 'x'.repeat(1000) }),
      'configuration.0.description',
    ],
    [
      'a setting twice',
      { configuration: [...settings(2), ...settings(1)] },
      { configuration: settings(3) },
      'configuration.2.name',
    ],
    [
      '26 parameters',
      { request_parameters: settings(26) },
      { request_parameters: settings(25) },
      'request_parameters',
    ],
    [
      'parameter ending in a dot',
      parameter({ name: 'a.' }),
      parameter({ name: 'a.b' }),
      'request_parameters.0.name',
    ],
    [
      'parameter with two dots',
      parameter({ name: 'a..b' }),
      parameter({ name: 'a.b.c' }),
      'request_parameters.0.name',
    ],
    [
      'parameter with __proto__',
      parameter({ name: 'a.__proto__.b' }),
      parameter({ name: 'a.proto.b' }),
      'request_parameters.0.name',
    ],
    [
      'parameter with a space',
      parameter({ name: 'a b' }),
      parameter({ name: 'a-b' }),
      'request_parameters.0.name',
    ],
    [
      'parameter of another type',
      parameter({ type: 'integer' }),
      parameter({ type: 'number' }),
      'request_parameters.0.type',
    ],
    [
      'optional a text',
      parameter({ optional: 'true' }),
      parameter({ optional: true }),
      'request_parameters.0.optional',
    ],
    [
      'a parameter twice',
      { request_parameters: [...settings(1), ...settings(1)] },
      { request_parameters: settings(2) },
      'request_parameters.1.name',
    ],
  ]
  for (const [name, bad, good, at] of rows) {
    const refused = await tenant.asManagement('POST', '/reactor-formulas', { ...least, ...bad })
    t.match(refused, { status: 400, json: { type: 'urn:surrogate:error:validation' } }, name)
    t.ok(refused.json.errors?.[at], `${name}: names ${at}, not ${Object.keys(refused.json.errors ?? {})}`)
    const { id } = await made(tenant, good)
    const path = `/reactor-formulas/${id}`
    t.equal((await tenant.asManagement('PUT', path, { ...least, ...bad })).status, 400, `${name}, in PUT`)
    t.equal((await tenant.asManagement('PUT', path, { ...least, ...good })).status, 200, `${name}, in PUT`)
  }
  const { pagination } = (await tenant.asManagement('GET', '/reactor-formulas')).json
  t.equal(pagination.total_items, rows.length + 2, 'nothing that was refused is there')
})

t.test('formulas take a management key, and are the tenant’s own', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const { id } = await made(tenant)
  const requests: [string, string, JsonValue?][] = [
    ['GET', '/reactor-formulas'],
    ['POST', '/reactor-formulas', least],
    ['GET', `/reactor-formulas/${id}`],
    ['PUT', `/reactor-formulas/${id}`, least],
    ['DELETE', `/reactor-formulas/${id}`],
  ]
  const weak = await tenant.application({ permissions: ['application:read'] }, 'management')
  for (const [method, path, body] of requests) {
    t.equal((await tenant.send(method, path, body)).status, 403, `${method} with a private key`)
    t.equal((await weak(method, path, body)).status, 403, `${method} without the permission`)
    if (path.endsWith(id))
      t.equal((await other.asManagement(method, path, body)).status, 404, `${method} elsewhere`)
    t.ok((await tenant.asManagement(method, path, body)).status < 300, `${method} with the right key`)
  }
  t.equal((await tenant.asManagement('GET', '/reactor-formulas/no-uuid')).status, 400)
  t.equal((await tenant.asManagement('GET', `/reactor-formulas/${nobody}`)).status, 404)
})

t.test("official formulas are the operator's, and everyone's to use", async t => {
  const vault = openVault(t)
  const operator = await openTenant(vault, { operator: true })
  const tenant = await openTenant(vault)
  const refused = await tenant.asManagement('POST', '/reactor-formulas', { ...least, type: 'official' })
  t.match(refused, { status: 403, json: { type: /permission_denied/ } })
  const official = await made(operator, { name: 'Official', type: 'official' })
  const path = `/reactor-formulas/${official.id}`
  t.same((await tenant.asManagement('GET', path)).json, official)
  for (const type of ['official', 'private'])
    t.equal((await tenant.asManagement('PUT', path, { ...least, type })).status, 403, type)
  t.equal((await tenant.asManagement('DELETE', path)).status, 403)

  const mine = await made(tenant)
  const own = `/reactor-formulas/${mine.id}`
  t.equal((await tenant.asManagement('PUT', own, { ...least, type: 'official' })).status, 403, 'no way in')
  t.equal((await tenant.asManagement('PUT', own, least)).status, 200)

  const moved = await operator.asManagement('PUT', path, { ...least, type: 'private' })
  t.match(moved, { status: 400, json: { errors: { type: [/official/] } } })
  const updated = await operator.asManagement('PUT', path, { ...least, name: 'New', type: 'official' })
  t.match(updated, { status: 200, json: { name: 'New' } })
  t.equal((await tenant.asManagement('GET', path)).json.name, 'New')
  t.equal((await operator.asManagement('DELETE', path)).status, 204)
  t.equal((await tenant.asManagement('GET', path)).status, 404)
})

t.test('two formulas come with the server, and stay as they are', async t => {
  const vault = openVault(t)
  const shipped = async (tenant: TestTenant) => {
    const { data } = (await tenant.asManagement('GET', '/reactor-formulas')).json
    return data.map(({ name, type, status }: JsonObject) => ({ name, type, status }))
  }
  const expected = [
    { name: 'Deduplicating card tokenizer', type: 'official', status: 'verified' },
    { name: 'Card BIN and Luhn check', type: 'official', status: 'verified' },
  ]
  const operator = await openTenant(vault, { operator: true })
  t.same(await shipped(operator), expected)
  const [{ id }] = (await operator.asManagement('GET', '/reactor-formulas')).json.data
  const path = `/reactor-formulas/${id}`
  for (const tenant of [operator, await openTenant(vault)]) {
    t.equal((await tenant.asManagement('PUT', path, { ...least, type: 'official' })).status, 403)
    t.equal((await tenant.asManagement('DELETE', path)).status, 403)
    t.equal((await tenant.asManagement('GET', path)).status, 200)
  }
  await vault.reset()
  t.same(await shipped(await openTenant(vault)), expected)
})

t.test('what was done is in the log of who did it', async t => {
  const vault = openVault(t)
  const operator = await openTenant(vault, { operator: true })
  const { id } = await made(operator, { type: 'official' })
  const path = `/reactor-formulas/${id}`
  await operator.asManagement('PUT', path, { ...least, type: 'official' })
  await operator.asManagement('DELETE', path)
  const log = await operator.asManagement('GET', `/logs?entity_id=${id}`)
  t.same(
    log.json.data.map((entry: JsonObject) => [entry.operation, entry.entity_type]),
    [
      ['reactor:delete', 'reactor_formula'],
      ['reactor:update', 'reactor_formula'],
      ['reactor:create', 'reactor_formula'],
    ],
  )
})

t.test('an idempotency key makes one formula', async t => {
  const tenant = await openTenant(vault)
  const key = { 'SVC-IDEMPOTENCY-KEY': 'one' }
  const first = await tenant.asManagement('POST', '/reactor-formulas', least, key)
  const second = await tenant.asManagement('POST', '/reactor-formulas', least, key)
  t.equal(first.status, 201)
  t.same(second.json, first.json)
  const other = await tenant.asManagement('POST', '/reactor-formulas', { ...least, name: 'Other' }, key)
  t.equal(other.status, 422)

  const path = `/reactor-formulas/${first.json.id}`
  const put = await tenant.asManagement(
    'PUT',
    path,
    { ...least, name: 'P' },
    { 'SVC-IDEMPOTENCY-KEY': 'two' },
  )
  const again = await tenant.asManagement(
    'PUT',
    path,
    { ...least, name: 'P' },
    { 'SVC-IDEMPOTENCY-KEY': 'two' },
  )
  t.same(again.json, put.json, 'not modified again')
})
