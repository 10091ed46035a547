import { request } from 'node:http'
import t from 'tap'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'

const card = { id: 'a-card', type: 'card', data: { number: '4242424242424242' } }
const endpoints = [
  ['/_dev/clock', { advance_ms: 0 }],
  ['/_dev/tenants', {}],
  ['/_dev/reset', undefined],
] as const

t.test('the development endpoints need no key, and exist under --dev only', async t => {
  const open = sender(openVault(t), undefined)
  const closed = sender(openVault(t, { dev: false }), undefined)
  for (const [path, body] of endpoints) {
    const { status } = await open('POST', path, body)
    t.ok(status >= 200 && status < 300, `${path}: ${status}`)
    const refused = await closed('POST', path, body)
    t.equal(refused.status, 404, path)
    t.equal(refused.json.type, 'urn:surrogate:error:not_found')
    const other = await open('GET', path)
    t.equal(other.status, 405, `GET ${path}`)
    t.equal(other.headers.get('allow'), 'POST')
    t.equal((await closed('GET', path)).status, 404, `GET ${path} without --dev`)
  }
  t.equal((await open('POST', '/_dev/nothing')).status, 404)
})

t.test('requests of web pages are refused', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', card)
  const before = await vault.clock.now()
  for (const [path, body] of [...endpoints, ['/_dev/clock', { advance_ms: 3_600_000 }] as const]) {
    for (const Origin of ['https://app.example.com', 'http://127.0.0.1:4000', 'null']) {
      const { status, json } = await tenant.as(undefined)('POST', path, body, { Origin })
      t.equal(status, 403, `${path} from ${Origin}`)
      t.equal(json.type, 'urn:surrogate:error:permission_denied')
    }
  }
  t.equal((await tenant.send('GET', '/tokens/a-card')).status, 200, 'no reset')
  t.ok((await vault.clock.now()) - before < 3_600_000, 'no hour later')
})

t.test('a Host header with the name of another host is refused', async t => {
  const vault = openVault(t)
  const { port } = await vault.listen()
  const post = (Host: string, path: string, body?: object) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = { Host, ...(body ? { 'Content-Type': 'application/json' } : {}) }
      const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers }, async response => {
        resolve({ status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() })
      })
      sent.on('error', reject)
      sent.end(body && JSON.stringify(body))
    })
  const own = [
    'localhost',
    `localhost:${port}`,
    'LocalHost:1',
    '127.0.0.1',
    `127.0.0.1:${port}`,
    '127.8.9.10',
    '[::1]:80',
  ]
  const foreign = [
    ...['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example'],
    ...['xlocalhost', '10.0.0.1', '0.0.0.0', '127.0.0.1:80.evil.example', '[::2]', '127.0.0.1@evil.example'],
  ]
  const before = await vault.clock.now()
  for (const [path, body] of endpoints) {
    for (const host of own) {
      const { status = 0 } = await post(host, path, body)
      t.ok(status >= 200 && status < 300, `${path} at ${host}: ${status}`)
    }
  }
  for (const [path, body] of [...endpoints, ['/_dev/clock', { advance_ms: 3_600_000 }] as const]) {
    for (const host of foreign) {
      const { status, text } = await post(host, path, body)
      t.equal(status, 403, `${path} at ${host}`)
      t.match(text, /the Host header names another host/)
    }
  }
  t.ok((await vault.clock.now()) - before < 3_600_000, 'no hour later')
  const inProcess = await vault.fetch('http://vault.example/_dev/clock', {
    method: 'POST',
    headers: { Host: 'vault.example' },
    body: '{"advance_ms":0}',
  })
  t.equal(inProcess.status, 200, 'in process there is no name')
})

t.test('with a token every request needs it, and the name of the host does not count', async t => {
  const token = 'the-token-of-this-test'
  const { port } = await openVault(t, { devToken: token }).listen()
  const post = (path: string, Authorization: string | undefined, Origin?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        Host: 'vault:4000',
        ...(Authorization && { Authorization }),
        ...(Origin && { Origin }),
      }
      const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers }, response =>
        resolve(response.resume().statusCode),
      )
      sent.on('error', reject)
      sent.end(path === '/_dev/clock' ? '{"advance_ms":0}' : undefined)
    })
  for (const [path] of endpoints) {
    const status = (await post(path, `Bearer ${token}`)) ?? 0
    t.ok(status >= 200 && status < 300, `${path}: ${status}`)
    for (const wrong of [
      undefined,
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      token,
      `Basic ${token}`,
    ]) {
      t.equal(await post(path, wrong), 401, `${path}: ${wrong}`)
    }
    t.equal(await post(path, `Bearer ${token}`, 'http://other:4000'), 403, 'a web page')
  }
})

t.test('invalid bodies are refused, and change nothing', async t => {
  const vault = openVault(t)
  const post = sender(vault, undefined)
  const before = await vault.clock.now()
  const bad = [
    { raw: '' },
    { raw: '{' },
    { raw: '[]' },
    { raw: '1' },
    { raw: '{"advance_ms":1,"advance_ms":3600000}' },
    {},
    { advance_ms: '3600000' },
    { advance_ms: -1 },
    { advance_ms: 0.5 },
    { advance_ms: null },
    { advance_ms: Number.MAX_SAFE_INTEGER },
  ]
  for (const body of bad) {
    const { status, json } = await post('POST', '/_dev/clock', body)
    t.equal(status, 400, JSON.stringify(body))
    t.match(json.type, /^urn:surrogate:error:(validation|malformed_json)$/)
  }
  t.equal((await post('POST', '/_dev/clock', { raw: ' '.repeat(1024 * 1024 + 1) })).status, 413)
  t.ok((await vault.clock.now()) - before < 3_600_000)
  t.equal((await post('POST', '/_dev/clock', { advance_ms: 1 })).status, 200, 'the control')

  for (const body of [{ operator: 'true' }, { operator: 1 }, { raw: '[]' }]) {
    t.equal((await post('POST', '/_dev/tenants', body)).status, 400, JSON.stringify(body))
  }
  for (const body of [{ operator: true }, { operator: false }, {}, { raw: '' }]) {
    t.equal((await post('POST', '/_dev/tenants', body)).status, 201, JSON.stringify(body))
  }
})

t.test('POST /_dev/clock moves time forward, expires tokens, and goes back by a reset only', async t => {
  let real = Date.UTC(2030, 0, 1)
  const vault = openVault(t, { now: () => real })
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', { ...card, expires_at: '2030-01-01T01:00:00Z' })
  const advance = async (advance_ms: number) =>
    (await tenant.as(undefined)('POST', '/_dev/clock', { advance_ms })).json.now
  t.equal(await advance(0), '2030-01-01T00:00:00.000Z')
  t.equal(await advance(3_599_999), '2030-01-01T00:59:59.999Z')
  t.equal((await tenant.send('GET', '/tokens/a-card')).status, 200)
  t.equal(await advance(1), '2030-01-01T01:00:00.000Z')
  t.equal((await tenant.send('GET', '/tokens/a-card')).status, 404)
  t.equal((await tenant.as(undefined)('POST', '/_dev/clock', { advance_ms: -3_600_000 })).status, 400)
  t.equal(await advance(0), '2030-01-01T01:00:00.000Z')
  await vault.reset()
  t.equal(await advance(0), '2030-01-01T00:00:00.000Z', 'a reset puts it back')
  real += 1000
  t.equal(await advance(0), '2030-01-01T00:00:01.000Z', 'real time goes on beneath it')
})

t.test('moved time stays moved after a restart', async t => {
  const storage = `level:${t.testdir({})}`
  const first = openVault(t, { storage })
  await sender(first, undefined)('POST', '/_dev/clock', { advance_ms: 86_400_000 })
  const then = await first.clock.now()
  await first.close()
  t.ok((await openVault(t, { storage }).clock.now()) >= then)
})

t.test('a reset empties the store and applies the bootstrap again', async t => {
  const key = 'key-of-the-bootstrap'
  const bootstrap = {
    tenants: [
      {
        id: '5b493235-6917-4307-906a-2cd6f1a90b13',
        applications: [
          {
            id: '1f2a9c1e-6f0b-4d6e-9a57-0c7d7c3a2b10',
            name: 'Kept',
            type: 'private',
            key,
            rules: [
              {
                priority: 1,
                container: '/',
                transform: 'reveal',
                permissions: ['token:create', 'token:read'],
              },
            ],
          },
        ],
      },
    ],
  }
  const vault = openVault(t, { bootstrap })
  const kept = sender(vault, key)
  const made = await openTenant(vault)
  t.equal((await kept('POST', '/tokens', card)).status, 201)
  t.equal((await made.send('POST', '/tokens', card)).status, 201)

  const reset = await sender(vault, undefined)('POST', '/_dev/reset')
  t.equal(reset.status, 204)
  t.equal(reset.text, '')
  t.equal((await kept('GET', '/applications/key')).json.name, 'Kept')
  t.equal((await kept('GET', '/tokens/a-card')).status, 404)
  t.equal((await kept('GET', '/tokens')).json.pagination.total_items, 0)
  t.equal((await made.send('GET', '/tokens')).status, 401, 'a tenant made since is gone, keys and all')
  t.equal((await kept('POST', '/tokens', card)).status, 201, 'and the id is free')
})

t.test('a reset of a development server keeps its printed keys', async t => {
  const vault = openVault(t, { storage: `level:${t.testdir({})}` })
  const { development } = await vault.ready()
  const send = sender(vault, development?.privateKey)
  t.equal((await send('POST', '/tokens', card)).status, 201)
  await sender(vault, undefined)('POST', '/_dev/reset')
  t.equal((await send('GET', '/tokens/a-card')).status, 404)
  t.equal((await send('POST', '/tokens', card)).status, 201)
  const { status } = await sender(vault, development?.managementKey)('GET', '/applications')
  t.equal(status, 200)
})

t.test('POST /_dev/tenants makes a tenant with one key of each kind', async t => {
  const vault = openVault(t)
  const { json } = await sender(vault, undefined)('POST', '/_dev/tenants')
  t.match(json, {
    tenant_id: /^[0-9a-f-]{36}$/,
    public_key: /^key_pub_/,
    private_key: /^key_prv_/,
    management_key: /^key_mgt_/,
    webhook_secret: /^whsec_[A-Za-z0-9+/]{32}$/,
  })
  const seen = async (key: string) => (await sender(vault, key)('GET', '/applications/key')).json
  t.match(await seen(json.public_key), {
    type: 'public',
    tenant_id: json.tenant_id,
    permissions: ['token:create'],
    rules: [],
  })
  t.match(await seen(json.private_key), {
    type: 'private',
    permissions: [],
    rules: [{ container: '/', transform: 'reveal' }],
  })
  const management = await seen(json.management_key)
  t.equal(management.type, 'management')
  t.equal(management.permissions.length, 9)
  const list = await sender(vault, json.management_key)('GET', '/applications')
  t.equal(list.json.pagination.total_items, 3)
})

t.test(
  'members and parameters that the contract does not name are refused, with the nearest name',
  async t => {
    const vault = openVault(t)
    const post = sender(vault, undefined)
    const before = await vault.clock.now()
    const misspelled = await post('POST', '/_dev/clock', { advance_ms: 3_600_000, advence_ms: 1 })
    t.equal(misspelled.status, 400)
    t.same(misspelled.json.errors, {
      advence_ms: ['is not a member of this object; did you mean advance_ms?'],
    })
    const parameter = await post('POST', '/_dev/clock?advance=1', { advance_ms: 3_600_000 })
    t.equal(parameter.status, 400)
    t.same(parameter.json.errors, { advance: ['is not a parameter; this operation has no query parameters'] })
    t.ok((await vault.clock.now()) - before < 3_600_000, 'time did not move')
    t.equal((await post('POST', '/_dev/tenants', { operator: true })).status, 201, 'the control')
  },
)

t.test('the pages of this server itself may call, those of another origin or port may not', async t => {
  const { url, port } = await openVault(t).listen()
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${url}/_dev/tenants`, { method: 'POST', headers, body: '{}' })).status
  t.equal(await ask({ origin: url }), 201)
  t.equal(await ask({ origin: `http://127.0.0.1:${port + 1}` }), 403)
  t.equal(await ask({ origin: `https://127.0.0.1:${port}` }), 403)
  t.equal(await ask({ origin: `http://localhost:${port}` }), 403)
})

t.test('a request that a browser says comes from another site is refused', async t => {
  const { port } = await openVault(t).listen()
  const ask = (site: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({
        port,
        host: '127.0.0.1',
        path: '/_dev/tenants',
        method: 'POST',
        headers: { 'Sec-Fetch-Site': site },
      })
      sent.on('response', response => resolve(response.resume().statusCode))
      sent.on('error', reject)
      sent.end()
    })
  for (const site of ['cross-site', 'same-site']) t.equal(await ask(site), 403, site)
  for (const site of ['same-origin', 'none']) t.equal(await ask(site), 201, site)
})
