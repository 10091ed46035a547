import t from 'tap'
import { echo, makeFormula, makeReactor, openReactors } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'

const vault = openReactors(t)
const nobody = '5b493235-6917-4307-906a-2cd6f1a90b13'
const settings = {
  configuration: [
    { name: 'URL', type: 'string' },
    { name: 'RETRIES', type: 'number' },
    { name: 'LIVE', type: 'boolean' },
  ],
}
const configuration = { URL: 'https://example.org', RETRIES: 3, LIVE: false }

t.test('a reactor is what it was made as, with its formula and application', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo, settings)
  const application = await tenant.application({ permissions: ['token:read'] })
  const body = { name: 'R', configuration, formula: { id: formula.id }, application: { id: application.id } }
  const created = await tenant.asManagement('POST', '/reactors', body)
  const maker = (await tenant.asManagement('GET', '/applications/key')).json.id
  const embedded = (await tenant.asManagement('GET', `/applications/${application.id}`)).json
  t.equal(created.status, 201)
  t.same(created.json, {
    id: created.json.id,
    tenant_id: tenant.tenantId,
    name: 'R',
    configuration,
    formula,
    application: embedded,
    created_by: maker,
    created_at: created.json.created_at,
  })
  t.notMatch(created.text, application.key)
  const path = `/reactors/${created.json.id}`
  t.same((await tenant.asManagement('GET', path)).json, created.json)

  const put = await tenant.asManagement('PUT', path, { name: 'R2', configuration, formula: { id: nobody } })
  t.match(put, { status: 200, json: { name: 'R2', formula: { id: formula.id }, modified_by: maker } })
  t.match(put.json, { created_at: created.json.created_at, modified_at: /Z$/ })
  t.notOk('application' in put.json, 'PUT without an application removes it')
  t.same((await tenant.asManagement('GET', path)).json, put.json)

  await tenant.asManagement('PUT', `/reactor-formulas/${formula.id}`, {
    name: 'New',
    type: 'private',
    code: echo,
  })
  t.equal((await tenant.asManagement('GET', path)).json.formula.name, 'New', 'the formula as it now is')

  t.match(await tenant.asManagement('DELETE', path), { status: 204, text: '' })
  for (const [method, more] of [
    ['GET'],
    ['DELETE'],
    ['PUT', { name: 'R', configuration: {} }],
    ['PATCH', {}],
  ] as const)
    t.equal((await tenant.asManagement(method, path, more)).status, 404, method)
})

t.test('PATCH changes what it names, and the whole is looked at again', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo, settings)
  const application = await tenant.application({ permissions: ['token:read'] })
  const { id } = await makeReactor(tenant, formula.id, { configuration })
  const path = `/reactors/${id}`
  const patch = async (body: JsonValue, headers = {}) => tenant.asManagement('PATCH', path, body, headers)
  const now = async () => (await tenant.asManagement('GET', path)).json

  t.match(await patch({ name: 'New' }), { status: 204, text: '' })
  t.match(await now(), { name: 'New', configuration })
  t.equal((await patch({ configuration: { RETRIES: '5' } })).status, 204)
  t.same((await now()).configuration, { ...configuration, RETRIES: 5 })
  t.equal((await patch({ application: { id: application.id } })).status, 204)
  t.equal((await now()).application.id, application.id)
  t.equal((await patch({ application: {} })).status, 204, 'a merge of nothing')
  t.equal((await now()).application.id, application.id)
  t.equal((await patch({ application: null })).status, 204)
  t.notOk('application' in (await now()))
  t.equal((await patch({})).status, 204)
  t.equal((await patch({ formula: { id: nobody }, unknown: 1 })).status, 204, 'not of this request')

  const before = await now()
  const refused: [string, JsonValue, at: string][] = [
    ['a setting removed', { configuration: { URL: null } }, 'configuration.URL'],
    ['a setting that does not fit', { configuration: { LIVE: 'yes' } }, 'configuration.LIVE'],
    ['a setting too many', { configuration: { OTHER: 1 } }, 'configuration.OTHER'],
    ['no configuration', { configuration: null }, 'configuration'],
    ['no name', { name: null }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['an application without an id', { application: {} }, 'application.id'],
    ['an application that there is not', { application: { id: nobody } }, 'application.id'],
  ]
  for (const [name, body, at] of refused) {
    const reply = await patch(body)
    t.match(reply, { status: 400, json: { errors: { [at]: [String] } } }, name)
  }
  t.same(await now(), before)
  const json = { 'Content-Type': 'application/json' }
  t.match(await patch({ name: 'X' }, json), { status: 415, json: { type: /unsupported_media_type/ } })
})

t.test('what is refused, beside what is not', async t => {
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const formula = await makeFormula(tenant, echo, settings)
  const theirs = await makeFormula(other, echo, settings)
  const asPublic = await tenant.application({ permissions: ['token:create'] }, 'public')
  const asManagement = await tenant.application({ permissions: ['reactor:read'] }, 'management')
  const elsewhere = await other.application({ permissions: ['token:read'] })
  const good = { name: 'R', configuration, formula: { id: formula.id } }
  const configured = (more: JsonObject) => ({ configuration: { ...configuration, ...more } })
  const rows: [string, bad: JsonObject, good: JsonObject, at: string][] = [
    ['no name', { name: null }, {}, 'name'],
    ['an empty name', { name: '' }, { name: 'a' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, { name: 'x'.repeat(200) }, 'name'],
    ['no configuration', { configuration: null }, {}, 'configuration.URL'],
    ['a configuration that is a list', { configuration: [] }, {}, 'configuration'],
    [
      'a configuration without a setting',
      { configuration: { URL: 'x', LIVE: true } },
      {},
      'configuration.RETRIES',
    ],
    ['a setting that is null', configured({ URL: null }), configured({ URL: '' }), 'configuration.URL'],
    ['a setting that is an object', configured({ URL: {} }), configured({ URL: '{}' }), 'configuration.URL'],
    ['a setting that is not declared', configured({ MORE: 1 }), configured({}), 'configuration.MORE'],
    ['no number', configured({ RETRIES: 'three' }), configured({ RETRIES: '3' }), 'configuration.RETRIES'],
    [
      'a number with a blank',
      configured({ RETRIES: '3 ' }),
      configured({ RETRIES: '3e0' }),
      'configuration.RETRIES',
    ],
    [
      'a boolean as a number',
      configured({ RETRIES: true }),
      configured({ RETRIES: -1.5 }),
      'configuration.RETRIES',
    ],
    ['no boolean', configured({ LIVE: 'yes' }), configured({ LIVE: 'TRUE' }), 'configuration.LIVE'],
    ['a number as a boolean', configured({ LIVE: 1 }), configured({ LIVE: 'false' }), 'configuration.LIVE'],
    ['no formula', { formula: null }, {}, 'formula'],
    ['a formula without an id', { formula: {} }, {}, 'formula.id'],
    ['a formula that there is not', { formula: { id: nobody } }, {}, 'formula.id'],
    ["another tenant's formula", { formula: { id: theirs.id } }, {}, 'formula.id'],
    ['an application without an id', { application: {} }, { application: null }, 'application.id'],
    [
      'an application that there is not',
      { application: { id: nobody } },
      { application: { id: asPublic.id } },
      'application.id',
    ],
    [
      'a management application',
      { application: { id: asManagement.id } },
      { application: { id: asPublic.id } },
      'application.id',
    ],
    [
      "another tenant's application",
      { application: { id: elsewhere.id } },
      { application: { id: asPublic.id } },
      'application.id',
    ],
  ]
  for (const [name, bad, control, at] of rows) {
    const refused = await tenant.asManagement('POST', '/reactors', { ...good, ...bad })
    t.match(refused, { status: 400, json: { type: /validation/ } }, name)
    t.ok(refused.json.errors?.[at], `${name}: names ${at}, not ${Object.keys(refused.json.errors ?? {})}`)
    t.equal(
      (await tenant.asManagement('POST', '/reactors', { ...good, ...control })).status,
      201,
      `${name}: control`,
    )
    if (at.startsWith('formula')) continue
    const { id } = await makeReactor(tenant, formula.id, { configuration })
    const put = (body: JsonObject) =>
      tenant.asManagement('PUT', `/reactors/${id}`, { name: 'R', configuration, ...body })
    t.equal((await put(bad)).status, 400, `${name}, in PUT`)
    t.equal((await put(control)).status, 200, `${name}, in PUT: control`)
  }
})

t.test('settings are kept as what they are declared', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo, settings)
  const given = { URL: 12.5, RETRIES: '-1e2', LIVE: 'True' }
  const reactor = await makeReactor(tenant, formula.id, { configuration: given })
  t.same(reactor.configuration, { URL: '12.5', RETRIES: -100, LIVE: true })
})

t.test("reactors take a management key, and are the tenant's own", async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const formula = await makeFormula(tenant, echo)
  const { id } = await makeReactor(tenant, formula.id)
  const weak = await tenant.application({ permissions: ['application:read'] }, 'management')
  const requests: [string, string, JsonValue?][] = [
    ['GET', '/reactors'],
    ['POST', '/reactors', { name: 'R', configuration: {}, formula: { id: formula.id } }],
    ['GET', `/reactors/${id}`],
    ['PUT', `/reactors/${id}`, { name: 'R', configuration: {} }],
    ['PATCH', `/reactors/${id}`, { name: 'R' }],
    ['DELETE', `/reactors/${id}`],
  ]
  for (const [method, path, body] of requests) {
    t.equal((await tenant.send(method, path, body)).status, 403, `${method} with a private key`)
    t.equal((await weak(method, path, body)).status, 403, `${method} without the permission`)
    if (path.endsWith(id))
      t.equal((await other.asManagement(method, path, body)).status, 404, `${method} elsewhere`)
    t.ok((await tenant.asManagement(method, path, body)).status < 300, `${method} with the right key`)
  }
})

t.test('a list has ids and names to choose by', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  const ids: string[] = []
  for (const name of ['Charge', 'Refund', 'Charge back']) {
    ids.unshift((await makeReactor(tenant, formula.id, { name })).id)
  }
  const list = async (query: string) => {
    const { json } = await tenant.asManagement('GET', `/reactors?${query}`)
    return [json.pagination.total_items, json.data.map(({ id }: JsonObject) => ids.indexOf(String(id)))]
  }
  t.same(await list(''), [3, [0, 1, 2]])
  t.same(await list('size=1&page=2'), [3, [1]])
  t.same(await list('name=charge'), [2, [0, 2]])
  t.same(await list('name=charge*&size=1&page=2'), [2, [2]])
  t.same(await list('name=*nd'), [1, [1]])
  t.same(await list(`id=${ids[1]}&id=${ids[2]?.toUpperCase()}`), [2, [1, 2]])
  t.same(await list(`id=${ids[1]}&id=${ids[1]}`), [1, [1]])
  t.same(await list(`id=${ids[1]}&id=${ids[2]}&name=charge`), [1, [2]])
  t.same(await list(`id=${nobody}`), [0, []])
  t.equal((await tenant.asManagement('GET', '/reactors?id=no-uuid')).status, 400)
})

t.test('an idempotency key makes one reactor, and changes it once', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  const body = { name: 'R', configuration: {}, formula: { id: formula.id } }
  const key = (name: string) => ({ 'SVC-IDEMPOTENCY-KEY': name })
  const first = await tenant.asManagement('POST', '/reactors', body, key('a'))
  const again = await tenant.asManagement('POST', '/reactors', body, key('a'))
  t.equal(again.status, 201)
  t.same(again.json, first.json)
  t.equal((await tenant.asManagement('GET', '/reactors')).json.pagination.total_items, 1)
  const path = `/reactors/${first.json.id}`
  const put = { name: 'P', configuration: {} }
  const updated = await tenant.asManagement('PUT', path, put, key('b'))
  t.same((await tenant.asManagement('PUT', path, put, key('b'))).json, updated.json)
  t.equal((await tenant.asManagement('PATCH', path, { name: 'Q' }, key('c'))).status, 204)
  t.equal((await tenant.asManagement('PATCH', path, { name: 'Later' })).status, 204)
  t.equal((await tenant.asManagement('PATCH', path, { name: 'Q' }, key('c'))).status, 204)
  t.equal((await tenant.asManagement('GET', path)).json.name, 'Later', 'the second time nothing was done')
})

t.test('what was done is in the log', async t => {
  const tenant = await openTenant(vault)
  const { id } = await makeReactor(tenant, (await makeFormula(tenant, echo)).id)
  await tenant.asManagement('PUT', `/reactors/${id}`, { name: 'P', configuration: {} })
  await tenant.asManagement('PATCH', `/reactors/${id}`, { name: 'Q' })
  await tenant.send('POST', `/reactors/${id}/react`, {})
  await tenant.asManagement('DELETE', `/reactors/${id}`)
  const log = await tenant.asManagement('GET', `/logs?entity_type=reactor&entity_id=${id}`)
  t.same(log.json.data.map(({ operation }: JsonObject) => operation).sort(), [
    'reactor:create',
    'reactor:delete',
    'reactor:update',
    'reactor:update',
    'token:use',
  ])
})

t.test('a reactor needs no configuration where its formula has no settings', async t => {
  const tenant = await openTenant(vault)
  const formula = await makeFormula(tenant, echo)
  for (const given of [{}, { configuration: null }, { configuration: {} }]) {
    const made = await tenant.asManagement('POST', '/reactors', {
      name: 'R',
      formula: { id: formula.id },
      ...given,
    })
    t.match(made, { status: 201, json: { configuration: {} } })
    const put = await tenant.asManagement('PUT', `/reactors/${made.json.id}`, { name: 'S', ...given })
    t.match(put, { status: 200, json: { name: 'S', configuration: {} } })
  }
})
