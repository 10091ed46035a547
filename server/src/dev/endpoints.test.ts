import { request } from 'node:http'
import t from 'tap'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { number } from './_dev.ts'

const card = { id: 'a-card', type: 'card', data: { number } }
const hour = 3_600_000
const endpoints = [
  ['/_dev/clock', { advance_ms: 0 }],
  ['/_dev/tenants', {}],
  ['/_dev/reset', undefined],
] as const

/** Posts to a port with any headers, such as `Host`. Resolves with the status and the text. */
function post(port: number, headers: Record<string, string>, path: string, body?: object) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers }, async response => {
      const text = Buffer.concat(await response.toArray()).toString()
      resolve({ status: response.statusCode ?? 0, text })
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

const isSuccess = (status: number) => status >= 200 && status < 300

t.test('the development endpoints need no key, and exist under --dev only', async t => {
  const open = sender(openVault(t), undefined)
  const closed = sender(openVault(t, { dev: false }), undefined)
  for (const [path, body] of endpoints) {
    t.ok(isSuccess((await open('POST', path, body)).status), path)
    const refused = await closed('POST', path, body)
    t.match(refused, { status: 404, json: { type: 'urn:surrogate:error:not_found' } }, path)
    const other = await open('GET', path)
    t.same([other.status, other.headers.get('allow')], [405, 'POST'], `GET ${path}`)
    t.equal((await closed('GET', path)).status, 404, `GET ${path} without --dev`)
  }
  t.equal((await open('POST', '/_dev/nothing')).status, 404)
})

t.test('requests of other hosts, web pages and sites are refused, and change nothing', async t => {
  const vault = openVault(t)
  const { port, url } = await vault.listen()
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', card)
  const before = await vault.clock.now()
  const hosts = [
    ...['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example'],
    ...['xlocalhost', '10.0.0.1', '0.0.0.0', '127.0.0.1:80.evil.example', '[::2]', '127.0.0.1@evil.example'],
  ]
  const others: Record<string, string>[] = [
    ...hosts.map(Host => ({ Host })),
    ...['https://app.example.com', `https://127.0.0.1:${port}`, 'null'].map(Origin => ({ Origin })),
    ...[`http://127.0.0.1:${port + 1}`, `http://localhost:${port}`].map(Origin => ({ Origin })),
    ...['cross-site', 'same-site'].map(site => ({ 'Sec-Fetch-Site': site })),
  ]
  for (const headers of others) {
    for (const [path, body] of [...endpoints, ['/_dev/clock', { advance_ms: hour }] as const]) {
      const { status, text } = await post(port, headers, path, body)
      t.equal(status, 403, `${path} ${JSON.stringify(headers)}`)
      const says = headers.Host ? /the Host header names another host/ : /refuse requests from web pages/
      t.match(text, says)
    }
  }
  t.equal((await tenant.send('GET', '/tokens/a-card')).status, 200, 'no reset')
  t.ok((await vault.clock.now()) - before < hour, 'no hour later')
  const names = ['localhost', 'LocalHost:1', '127.0.0.1', '127.8.9.10', '[::1]:80', `localhost:${port}`]
  const own: Record<string, string>[] = [
    ...names.map(Host => ({ Host })),
    ...['same-origin', 'none'].map(site => ({ 'Sec-Fetch-Site': site })),
    { Origin: url },
  ]
  for (const headers of own) {
    for (const [path, body] of endpoints) {
      const { status } = await post(port, headers, path, body)
      t.ok(isSuccess(status), `${path} ${JSON.stringify(headers)}: ${status}`)
    }
  }
  const headers = { Host: 'vault.example' }
  const inProcess = await vault.fetch('http://vault.example/_dev/tenants', { method: 'POST', headers })
  t.equal(inProcess.status, 201, 'in process there is no name')
})

t.test('with a token every request needs it, and the name of the host does not count', async t => {
  const token = 'the-token-of-this-test'
  const { port } = await openVault(t, { devToken: token }).listen()
  const wrong = ['Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, token, `Basic ${token}`]
  for (const [path, body] of endpoints) {
    const send = async (headers: object) =>
      (await post(port, { Host: 'vault:4000', ...headers }, path, body)).status
    const right = { Authorization: `Bearer ${token}` }
    t.ok(isSuccess(await send(right)), path)
    for (const headers of [{}, ...wrong.map(Authorization => ({ Authorization }))])
      t.equal(await send(headers), 401, `${path}: ${JSON.stringify(headers)}`)
    t.equal(await send({ ...right, Origin: 'http://other:4000' }), 403, 'a web page')
  }
})

t.test('bodies and parameters that the contract does not have are refused, and change nothing', async t => {
  const vault = openVault(t)
  const send = sender(vault, undefined)
  const before = await vault.clock.now()
  for (const body of [
    ...['', '{', '[]', '1', '{"advance_ms":1,"advance_ms":3600000}'].map(raw => ({ raw })),
    ...['3600000', -1, 0.5, null, Number.MAX_SAFE_INTEGER].map(advance_ms => ({ advance_ms })),
    {},
  ]) {
    const { status, json } = await send('POST', '/_dev/clock', body)
    t.equal(status, 400, JSON.stringify(body))
    t.match(json.type, /^urn:surrogate:error:(validation|malformed_json)$/)
  }
  t.equal((await send('POST', '/_dev/clock', { raw: ' '.repeat(1024 * 1024 + 1) })).status, 413)
  const misspelt = await send('POST', '/_dev/clock', { advance_ms: hour, advence_ms: 1 })
  const hint = 'is not a member of this object; did you mean advance_ms?'
  t.match(misspelt, { status: 400, json: { errors: { advence_ms: [hint] } } })
  const parameter = await send('POST', '/_dev/clock?advance=1', { advance_ms: hour })
  const reason = 'is not a parameter; this operation has no query parameters'
  t.match(parameter, { status: 400, json: { errors: { advance: [reason] } } })
  t.ok((await vault.clock.now()) - before < hour)
  t.equal((await send('POST', '/_dev/clock', { advance_ms: 1 })).status, 200, 'the control')
  for (const body of [{ operator: 'true' }, { operator: 1 }, { raw: '[]' }])
    t.equal((await send('POST', '/_dev/tenants', body)).status, 400, JSON.stringify(body))
  for (const body of [{ operator: true }, { operator: false }, {}, { raw: '' }])
    t.equal((await send('POST', '/_dev/tenants', body)).status, 201, JSON.stringify(body))
})

t.test('POST /_dev/clock moves time forward, expires tokens, and goes back by a reset only', async t => {
  let real = Date.UTC(2030, 0, 1)
  const vault = openVault(t, { now: () => real })
  const tenant = await openTenant(vault)
  await tenant.send('POST', '/tokens', { ...card, expires_at: '2030-01-01T01:00:00Z' })
  const advance = async (advance_ms: number) =>
    (await tenant.as(undefined)('POST', '/_dev/clock', { advance_ms })).json.now
  const status = async () => (await tenant.send('GET', '/tokens/a-card')).status
  t.equal(await advance(hour - 1), '2030-01-01T00:59:59.999Z')
  t.equal(await status(), 200)
  t.equal(await advance(1), '2030-01-01T01:00:00.000Z')
  t.equal(await status(), 404)
  t.equal(await advance(-hour), undefined)
  t.equal(await advance(0), '2030-01-01T01:00:00.000Z')
  await vault.reset()
  t.equal(await advance(0), '2030-01-01T00:00:00.000Z', 'a reset puts it back')
  real += 1000
  t.equal(await advance(0), '2030-01-01T00:00:01.000Z', 'real time goes on beneath it')
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
  const reveal = [{ container: '/', transform: 'reveal' }]
  const { tenant_id } = json
  t.match(await seen(json.public_key), {
    type: 'public',
    tenant_id,
    permissions: ['token:create'],
    rules: [],
  })
  t.match(await seen(json.private_key), { type: 'private', permissions: [], rules: reveal })
  const management = await seen(json.management_key)
  t.same([management.type, management.permissions.length], ['management', 9])
  const list = await sender(vault, json.management_key)('GET', '/applications')
  t.equal(list.json.pagination.total_items, 3)
})
