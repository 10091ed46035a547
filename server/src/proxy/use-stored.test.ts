import t from 'tap'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'
import { openProxy, target } from './_fixture.ts'

type Opened = Awaited<ReturnType<typeof openProxy>>

/** Makes a proxy and returns what sends requests to it. Without a key of its own it sends none. */
async function makeProxy({ tenant }: Opened, members: JsonObject = {}) {
  const body = { name: 'P', destination_url: `${target}/v1`, ...members }
  const { status, text, json } = await tenant.asManagement('POST', '/proxies', body)
  if (status !== 201) throw new Error(text)
  const named = (more: Record<string, string> = {}) => ({ 'SVC-PROXY-KEY': json.key, ...more })
  return { id: json.id as string, key: json.key as string, named }
}

const json = (status: number, body: object) =>
  ((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-own': 'a' })
    response.end(JSON.stringify(body))
    return undefined
  }) satisfies Parameters<typeof openProxy>[1]

t.test('a request goes to the destination, with its path and query added', async t => {
  const opened = await openProxy(t, json(201, { fine: true }))
  const { tenant, receiver, token } = opened
  const { id, named } = await makeProxy(opened, { destination_url: `${target}/v1/?key=k` })
  const data = await token('a/b')
  const { status, headers, text } = await tenant.send(
    'POST',
    `/proxy/users/{{ ${data} }}?q=1`,
    { a: `{{ ${data} }}` },
    named(),
  )
  t.same([status, text, headers.get('x-own')], [201, '{"fine":true}', 'a'])
  const [sent] = receiver.received
  t.equal(sent?.path, '/v1/users/a%2Fb?key=k&q=1')
  t.same(JSON.parse(`${sent?.body}`), { a: 'a/b' })
  t.notMatch(JSON.stringify(sent), /key_p/, 'neither key is sent on')
  await tenant.send('DELETE', '/proxy', undefined, named())
  t.match(receiver.received[1], { method: 'DELETE', path: '/v1/?key=k' })
  const { data: entries } = (await tenant.asManagement('GET', `/logs?entity_type=proxy&entity_id=${id}`)).json
  t.same(
    entries.map(({ operation }: JsonObject) => operation),
    ['token:use', 'token:use', 'proxy:create'],
  )
})

t.test('code changes requests and responses, with settings and a client', async t => {
  const opened = await openProxy(t, json(402, { number: '4242424242424242', text: '{{ no-token }}' }))
  const { tenant, receiver, token } = opened
  const application = await tenant.application({ permissions: ['token:create', 'token:use'] })
  const request = `module.exports = async ({ args, configuration, svc }) => ({
    headers: { ...args.headers, 'X-Signed': [args.method, args.path, args.query, args.body.a, configuration.KEY].join(' '), Cookie: 'c', Host: 'evil', 'SVC-API-KEY': 'x' },
    body: { b: args.body.a },
  })`
  const response = `module.exports = async ({ args, configuration, svc }) => {
    const { id } = await svc.tokens.create({ type: 'card_number', data: args.body.number })
    return { headers: { ...args.headers, 'x-own': String(args.status) }, body: { id, text: args.body.text, key: configuration.KEY } }
  }`
  const { named } = await makeProxy(opened, {
    request_transform: { code: request },
    response_transform: { code: response },
    configuration: { KEY: 'k' },
    application: { id: application.id },
  })
  const secret = await token('secret')
  const answered = await tenant.send('POST', '/proxy/a?q=1', { a: `{{ ${secret} }}` }, named())
  t.match(answered, { status: 402, json: { text: '{{ no-token }}', key: 'k' } }, answered.text)
  t.equal(answered.headers.get('x-own'), '402')
  t.match((await tenant.send('GET', `/tokens/${answered.json.id}`)).json, {
    data: '4242424242424242',
    created_by: application.id,
  })
  const [sent] = receiver.received
  t.equal(sent?.headers['x-signed'], 'POST /v1/a q=1 secret k')
  t.equal(sent?.headers.host, receiver.origin.slice(7))
  t.notOk(sent?.headers['svc-api-key'] ?? sent?.headers.cookie)
  t.same(JSON.parse(`${sent?.body}`), { b: 'secret' })
})

t.test('code that returns nothing changes nothing, and an empty body stays empty', async t => {
  const opened = await openProxy(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>')
    return undefined
  })
  const { tenant, receiver } = opened
  const nothing = { code: 'module.exports = () => {}' }
  const same = {
    code: 'module.exports = ({ args: { headers, body } }) => ({ headers, body })',
  }
  for (const code of [nothing, same]) {
    const { named } = await makeProxy(opened, { request_transform: code, response_transform: code })
    const { status, text, headers } = await tenant.send('POST', '/proxy', { a: 1 }, named({ 'X-A': 'b' }))
    t.same([status, text, headers.get('content-type')], [200, '<p>', 'text/html; charset=utf-8'])
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.match(receiver.received.at(-1), { headers: { 'x-a': 'b', 'content-type': 'application/json' } })
    t.equal(`${receiver.received.at(-1)?.body}`, '{"a":1}')
    await tenant.send('GET', '/proxy', undefined, named({ 'Content-Type': 'application/json' }))
    t.equal(`${receiver.received.at(-1)?.body}`, '')
  }
})

t.test('code for requests can respond itself, and nothing is sent then', async t => {
  const opened = await openProxy(t)
  const { tenant, receiver } = opened
  const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
    module.exports = ({ args }) => { throw new CustomHttpResponseError({ status: 418, headers: { 'x-a': 'b' }, body: args.body }) }`
  const { named } = await makeProxy(opened, { request_transform: { code } })
  const { status, json, headers } = await tenant.send('POST', '/proxy', { a: 1 }, named())
  t.same([status, json, headers.get('x-a')], [418, { a: 1 }, 'b'])
  t.equal(receiver.received.length, 0)
})

t.test(
  'with require_auth a request needs a key with token:use; without, the key of the proxy is enough',
  async t => {
    const opened = await openProxy(t)
    const { tenant, receiver, token, vault } = opened
    const application = await tenant.application({
      rules: [{ priority: 1, container: '/general/', transform: 'reveal', permissions: ['token:use'] }],
    })
    const inside = await token('inside')
    const outside = (
      await tenant.send('POST', '/tokens', { type: 'token', data: 'outside', containers: ['/other/'] })
    ).json.id
    const [withAuth, without] = [
      await makeProxy(opened, { application: { id: application.id } }),
      await makeProxy(opened, { application: { id: application.id }, require_auth: false }),
    ]
    const bare = await makeProxy(opened, { require_auth: false })
    const callers = await makeProxy(opened)
    const elsewhere = await tenant.application({
      rules: [{ priority: 1, container: '/other/', transform: 'reveal', permissions: ['token:use'] }],
    })
    const reader = await tenant.application({ permissions: ['token:read'] })
    const stranger = await openTenant(vault)
    const [none, all] = [tenant.as(undefined), tenant.send]
    const cases = [
      ['no key', none, withAuth, 401, 401],
      ['a wrong key', tenant.as('key_prv_wrong'), withAuth, 401, 401],
      ['the key of the proxy as API key', tenant.as(withAuth.key), withAuth, 401, 401],
      ['a public key', tenant.asPublic, withAuth, 403, 403],
      ['a management key', tenant.asManagement, withAuth, 403, 403],
      ['without token:use', reader, withAuth, 403, 403],
      ['a key of another tenant', stranger.send, withAuth, 401, 401],
      ['rights of the caller and of the application', all, withAuth, 200, 403],
      ['rights of the application only', elsewhere, withAuth, 403, 403],
      ['rights of the caller, no application', elsewhere, callers, 403, 200],
      ['the key of the proxy alone', none, without, 200, 403],
      ['a key with more rights beside it', all, without, 200, 403],
      ['a key of another tenant beside it', stranger.send, without, 200, 403],
      ['a proxy without rights', none, bare, 403, 403],
    ] as const
    t.match(
      (await all('POST', '/proxy', { a: `{{ ${outside} }}` }, withAuth.named())).json.detail,
      /^the proxy's application/,
    )
    for (const [what, send, { named }, first, second] of cases) {
      for (const [id, expected] of [
        [inside, first],
        [outside, second],
      ] as const) {
        const before = receiver.received.length
        const { status } = await send('POST', '/proxy', { a: `{{ ${id} }}` }, named())
        t.equal(status, expected, `${what}: ${id === inside ? 'inside' : 'outside'}`)
        t.equal(receiver.received.length - before, expected === 200 ? 1 : 0, what)
      }
    }
    t.equal((await none('POST', '/proxy', { a: 1 }, bare.named())).status, 200, 'a request without data')
    const actor = async ({ id }: { id: string }) =>
      (await tenant.asManagement('GET', `/logs?entity_type=proxy&entity_id=${id}`)).json.data[0].actor_id
    t.equal(await actor(without), application.id)
    t.equal(await actor(bare), bare.id)
  },
)

t.test('what the data shows is what the rules of the caller, or of the application alone, show', async t => {
  const opened = await openProxy(t)
  const { tenant, receiver } = opened
  const masks = await tenant.application({ permissions: ['token:use'] })
  const id = (await tenant.send('POST', '/tokens', { type: 'token', data: 'secret', mask: '***' })).json.id
  const [withAuth, without] = [
    await makeProxy(opened, { application: { id: masks.id } }),
    await makeProxy(opened, { application: { id: masks.id }, require_auth: false }),
  ]
  for (const [send, { named }] of [
    [tenant.send, withAuth],
    [masks, withAuth],
    [tenant.as(undefined), without],
  ] as const)
    t.equal((await send('POST', '/proxy', { a: `{{ ${id} }}` }, named())).status, 200)
  t.same(
    receiver.received.map(({ body }) => JSON.parse(`${body}`).a),
    ['secret', '***', '***'],
  )
})

t.test('rights are those of the application now, whatever key it has', async t => {
  const opened = await openProxy(t)
  const { tenant, token } = opened
  const { id } = await tenant.application({ permissions: ['token:use'] })
  const { named } = await makeProxy(opened, { require_auth: false, application: { id } })
  const body = { a: `{{ ${await token('a')} }}` }
  const ask = async () => (await tenant.as(undefined)('POST', '/proxy', body, named())).status
  t.equal(await ask(), 200)
  t.equal((await tenant.asManagement('POST', `/applications/${id}/regenerate`)).status, 200)
  t.equal(await ask(), 200, 'with another key of the application')
  const less = { name: 'P', permissions: ['token:create'] }
  t.equal((await tenant.asManagement('PUT', `/applications/${id}`, less)).status, 200)
  t.equal(await ask(), 403, 'without the right')
})

t.test('a proxy that is deleted, and an application that has expired, end at once', async t => {
  const opened = await openProxy(t)
  const { tenant, vault } = opened
  const expires_at = new Date((await vault.clock.now()) + 60_000).toISOString()
  const application = await tenant.application({ permissions: ['token:use'], expires_at })
  const { id, named } = await makeProxy(opened, { require_auth: false })
  const other = await makeProxy(opened, { require_auth: false, application: { id: application.id } })
  const ask = (headers: Record<string, string>) => tenant.as(undefined)('GET', '/proxy', undefined, headers)
  t.equal((await ask(named())).status, 200)
  t.equal((await ask(other.named())).status, 200)
  await tenant.asManagement('DELETE', `/proxies/${id}`)
  t.match(await ask(named()), { status: 401, json: { type: 'urn:surrogate:error:unauthenticated' } })
  await vault.clock.advance(61_000)
  t.match(await ask(other.named()), { status: 401, json: { detail: /application/ } })
})
