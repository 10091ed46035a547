import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'
import { openProxy, target } from './_fixture.ts'

const nobody = '5b493235-6917-4307-906a-2cd6f1a90b13'
const code = 'module.exports = async () => ({})'
const minimal = { name: 'P', destination_url: `${target}/v1` }

t.test('a proxy is what it was made as, and its key is shown once', async t => {
  const { tenant } = await openProxy(t)
  const { asManagement } = tenant
  const application = await tenant.application({ permissions: ['token:use'] })
  const body = {
    ...minimal,
    request_transform: { code },
    response_transform: { code },
    configuration: { KEY: 'secret', RETRIES: 3, LIVE: false },
    application: { id: application.id.toUpperCase() },
    require_auth: false,
  }
  const created = await asManagement('POST', '/proxies', body)
  t.equal(created.status, 201, created.text)
  const { key, ...shown } = created.json
  t.match(key, /^key_prx_[\w-]{64}$/)
  t.same(shown, {
    ...body,
    id: shown.id,
    tenant_id: tenant.tenantId,
    application: { id: application.id },
    created_by: (await asManagement('GET', '/applications/key')).json.id,
    created_at: shown.created_at,
  })
  const path = `/proxies/${shown.id}`
  t.same((await asManagement('GET', path.toUpperCase().replace('PROXIES', 'proxies'))).json, shown)
  t.same((await asManagement('GET', '/proxies')).json.data, [shown])

  const put = await asManagement('PUT', path, { name: 'Q', destination_url: target })
  t.match(put, { status: 200, json: { name: 'Q', destination_url: target, modified_by: shown.created_by } })
  t.match(put.json, { configuration: {}, require_auth: true, created_at: shown.created_at })
  for (const name of ['request_transform', 'response_transform', 'application', 'key'])
    t.notOk(name in put.json, `PUT without ${name}`)
  t.equal((await asManagement('DELETE', `/applications/${application.id}`)).status, 204, 'is not in use')

  const merge = {
    request_transform: { code },
    configuration: { A: 1, B: 2 },
    require_auth: false,
    key_digest: 'x',
    id: nobody,
  }
  t.same([(await asManagement('PATCH', path, merge)).status], [204])
  t.equal((await asManagement('PATCH', path, { configuration: { A: null }, require_auth: null })).status, 204)
  t.match((await asManagement('GET', path)).json, {
    ...{ id: shown.id, name: 'Q', request_transform: { code }, configuration: { B: 2 }, require_auth: true },
  })
  t.equal((await asManagement('PATCH', path, { request_transform: null, configuration: null })).status, 204)
  const last = (await asManagement('GET', path)).json
  t.notOk(last.request_transform)
  t.same(last.configuration, {})

  const logged = (await asManagement('GET', `/logs?entity_type=proxy&entity_id=${shown.id}`)).json.data
  t.same(
    logged.map(({ operation }: JsonObject) => operation),
    [...Array(4).fill('proxy:update'), 'proxy:create'],
  )
  t.equal((await asManagement('DELETE', path)).status, 204)
  for (const [method, more] of [['GET'], ['DELETE'], ['PUT', minimal], ['PATCH', {}]] as const)
    t.equal((await asManagement(method, path, more)).status, 404, method)
})

t.test('proxies are listed by id and name', async t => {
  const { tenant, vault } = await openProxy(t)
  const ids: string[] = []
  for (const name of ['Charges', 'Refunds', 'charge disputes'])
    ids.push((await tenant.asManagement('POST', '/proxies', { ...minimal, name })).json.id)
  const found = async (query: string) =>
    (await tenant.asManagement('GET', `/proxies?${query}`)).json.data.map(({ id }: JsonObject) => id)
  t.same(await found(''), ids.toReversed())
  t.same(await found('name=charge'), [ids[2], ids[0]])
  t.same(await found('name=*ds'), [ids[1]])
  t.same(await found(`id=${ids[1]}&id=${nobody}`), [ids[1]])
  t.same(await found('size=1&page=2'), [ids[1]])
  const other = await openTenant(vault)
  t.same((await other.asManagement('GET', '/proxies')).json.data, [])
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', minimal], ['PATCH', {}]] as const)
    t.equal((await other.asManagement(method, `/proxies/${ids[0]}`, body)).status, 404, method)
})

t.test('what is not valid is refused, with its place', async t => {
  const { tenant } = await openProxy(t)
  const management = await tenant.application({ permissions: ['log:read'] }, 'management')
  const many = Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`S${at}`, at]))
  const refused: Record<string, [string, object]> = {
    'no name': ['name', { name: undefined }],
    'an empty name': ['name', { name: '' }],
    'a long name': ['name', { name: 'x'.repeat(201) }],
    'no destination': ['destination_url', { destination_url: undefined }],
    'no URL': ['destination_url', { destination_url: 'api.example.com/v1' }],
    'another scheme': ['destination_url', { destination_url: 'file:///etc/passwd' }],
    'another origin': ['destination_url', { destination_url: 'https://other.example.com/' }],
    'a private address': ['destination_url', { destination_url: 'http://127.0.0.1:4000/_dev/reset' }],
    'a user name': ['destination_url', { destination_url: 'https://api.example.com@evil.example/' }],
    'a password': ['destination_url', { destination_url: 'https://me:secret@api.example.com/' }],
    'an expression': ['destination_url', { destination_url: `${target}/%7B%7B%20a%20%7D%7D` }],
    'one in the query': ['destination_url', { destination_url: `${target}/?a=%7b%7Ba%7d%7D` }],
    'a long URL': ['destination_url', { destination_url: `${target}/${'x'.repeat(2000)}` }],
    'long code': ['request_transform.code', { request_transform: { code: 'x'.repeat(50_001) } }],
    'code of many bytes': ['response_transform.code', { response_transform: { code: 'ä'.repeat(25_001) } }],
    'no code': ['response_transform.code', { response_transform: {} }],
    'empty code': ['request_transform.code', { request_transform: { code: '' } }],
    'many settings': ['configuration', { configuration: many }],
    'a long setting': ['configuration.A', { configuration: { A: 'x'.repeat(10_001) } }],
    'a nested setting': ['configuration.A', { configuration: { A: {} } }],
    'an unknown application': ['application.id', { application: { id: nobody } }],
    'a management application': ['application.id', { application: { id: management.id } }],
    'an application without id': ['application.id', { application: {} }],
    'an odd require_auth': ['require_auth', { require_auth: 'false' }],
  }
  const { id } = (await tenant.asManagement('POST', '/proxies', minimal)).json
  for (const [what, [path, change]] of Object.entries(refused)) {
    const body = { ...minimal, ...change } as JsonObject
    for (const [method, to] of [['POST', '/proxies'] as const, ['PUT', `/proxies/${id}`] as const]) {
      const { status, json, text } = await tenant.asManagement(method, to, body)
      t.match([status, json.type], [400, 'urn:surrogate:error:validation'], `${method} ${what}`)
      t.ok(
        Object.keys(json.errors).some(one => one.startsWith(path)),
        `${method} ${what}: ${text}`,
      )
      t.notMatch(text, /evil|secret|passwd/, what)
    }
    const isAbsent = Object.values(change)[0] === undefined
    if (!isAbsent)
      t.equal((await tenant.asManagement('PATCH', `/proxies/${id}`, change as JsonObject)).status, 400, what)
  }
  const some = Object.fromEntries(Object.entries(many).slice(0, 20))
  t.equal((await tenant.asManagement('PATCH', `/proxies/${id}`, { configuration: some })).status, 204)
  const others = Object.fromEntries(Object.entries(many).slice(20))
  const { status, json } = await tenant.asManagement('PATCH', `/proxies/${id}`, { configuration: others })
  t.same([status, Object.keys(json.errors)], [400, ['configuration']], 'more than 25 in two steps')
  t.same((await tenant.asManagement('GET', '/proxies')).json.pagination.total_items, 1)
})

t.test('each verb needs its permission, and the key of a management application', async t => {
  const { tenant } = await openProxy(t)
  const { id } = (await tenant.asManagement('POST', '/proxies', minimal)).json
  const requests = {
    'proxy:read': [
      ['GET', '/proxies'],
      ['GET', `/proxies/${id}`],
    ],
    'proxy:update': [
      ['PUT', `/proxies/${id}`, minimal],
      ['PATCH', `/proxies/${id}`, {}],
    ],
    'proxy:create': [['POST', '/proxies', minimal]],
    'proxy:delete': [['DELETE', `/proxies/${id}`]],
  } as const
  for (const [permission, all] of Object.entries(requests)) {
    const others = Object.keys(requests).filter(one => one !== permission)
    const without = await tenant.application({ permissions: others }, 'management')
    const holder = await tenant.application({ permissions: [permission] }, 'management')
    for (const [method, path, body] of all) {
      for (const send of [without, tenant.send, tenant.asPublic])
        t.equal((await send(method, path, body)).status, 403, `${method} ${path}`)
      t.equal(Math.floor((await holder(method, path, body)).status / 100), 2, `${method} ${path}`)
    }
  }
})

t.test('an application that a proxy uses cannot be deleted', async t => {
  const { tenant } = await openProxy(t)
  const [first, second] = [
    await tenant.application({ permissions: ['token:use'] }),
    await tenant.application({ permissions: ['token:use'] }),
  ]
  const remove = (id: string) => tenant.asManagement('DELETE', `/applications/${id}`)
  const body = { ...minimal, application: { id: first.id } }
  const { id } = (await tenant.asManagement('POST', '/proxies', body)).json
  t.match(await remove(first.id), { status: 409, json: { type: /in_use/, detail: /proxy/ } })
  await tenant.asManagement('PATCH', `/proxies/${id}`, { application: { id: second.id } })
  t.equal((await remove(first.id)).status, 204)
  t.equal((await remove(second.id)).status, 409)
  await tenant.asManagement('DELETE', `/proxies/${id}`)
  t.equal((await remove(second.id)).status, 204)
})

t.test('a create that is repeated shows the same proxy and key', async t => {
  const { tenant } = await openProxy(t)
  const keyed = { 'SVC-IDEMPOTENCY-KEY': 'a' }
  const create = () => tenant.asManagement('POST', '/proxies', minimal, keyed)
  const first = await create()
  t.same((await create()).json, first.json)
  t.equal((await tenant.asManagement('GET', '/proxies')).json.data.length, 1)
  await tenant.asManagement('DELETE', `/proxies/${first.json.id}`)
  t.equal((await create()).status, 404)
})

t.test('without an origin that is allowed, there are no proxies to make', async t => {
  const tenant = await openTenant(openVault(t))
  const { status, json } = await tenant.asManagement('POST', '/proxies', minimal)
  t.match([status, Object.keys(json.errors)], [400, ['destination_url']])
  t.same((await tenant.asManagement('GET', '/proxies')).json.data, [])
})
