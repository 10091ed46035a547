import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { newMasterKey } from '../../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { systemRandom } from '../../base/random.ts'
import { MemoryEngine } from '../../storage/engines/memory/memory-engine.ts'
import { rotateMasterKey } from '../../storage/keys/rotation.ts'
import { docsFiles } from './paths.ts'

const vault = openVault(t)
const ask = (await openTenant(vault)).as(undefined)

t.test('/healthz needs no key, and says that the server works', async t => {
  const { status, json } = await ask('GET', '/healthz')
  t.equal(status, 200)
  t.same(json, { status: 'ok' })
  t.equal((await ask('HEAD', '/healthz')).status, 200)
  t.equal((await ask('POST', '/healthz')).status, 404)
})

t.test('/docs shows the contract, from files of this package only', async t => {
  const files = {
    '/docs': 'text/html',
    '/docs/docs.js': 'text/javascript',
    '/docs/docs.css': 'text/css',
    '/docs/scalar.js': 'text/javascript',
  }
  for (const [path, type] of Object.entries({ ...files, '/docs/openapi.json': 'application/json' })) {
    const { status, headers, text } = await ask('GET', path)
    t.equal(status, 200, path)
    t.ok(headers.get('content-type')?.startsWith(type), path)
    t.ok(text.length > 500, path)
    const policy = headers.get('content-security-policy') ?? ''
    t.match(policy, /default-src 'none'/, path)
    t.match(policy, /frame-ancestors 'none'/, path)
    t.notMatch(policy, /https?:|\*|unsafe-eval|script-src[^;]*unsafe/, path)
    t.equal(headers.get('x-content-type-options'), 'nosniff', path)
    t.equal((await ask('HEAD', path)).status, 200, path)
  }
  const { text } = await ask('GET', '/docs')
  t.notMatch(text, /(src|href)="(https?:)?\/\//, 'the page loads nothing from elsewhere')
})

t.test('files and contract are read once, not for each request', async t => {
  let spelled = 0
  const docs = docsFiles({ readDocument: () => JSON.stringify({ spelled: ++spelled }), maySend: false })
  for (const path of ['/docs', '/docs/docs.js', '/docs/docs.css', '/docs/scalar.js', '/docs/openapi.json']) {
    const first = docs.respond(path, {})
    const second = docs.respond(path, {})
    t.ok(first?.body && first.body === second?.body, path)
    t.not(first?.headers, second?.headers, "headers are each response's own")
  }
  t.equal(spelled, 1)
})

t.test('the script of the page is sent as it is kept, to those who accept that', async t => {
  const docs = docsFiles({ readDocument: () => '{}', maySend: false })
  const asked = (encoding?: string) => docs.respond('/docs/scalar.js', { 'accept-encoding': encoding })
  const [plain, gzipped] = [asked(), asked('gzip, deflate, br')]
  t.equal(gzipped?.headers['Content-Encoding'], 'gzip')
  t.same(gunzipSync(gzipped?.body ?? ''), plain?.body)
  for (const answer of [plain, gzipped]) t.equal(answer?.headers.Vary, 'Accept-Encoding')
  t.equal(plain?.headers['Content-Encoding'], undefined)
  t.notMatch(String(plain?.body), /new Function\(|\beval\(/, 'no code is made from text')
})

t.test('the header prefix is in every header name, and in the contract that is served', async t => {
  const acme = openVault(t, { headerPrefix: 'ACME', corsOrigins: ['*'] })
  const { privateKey } = await acme.createTenant()
  const fetch = (path: string, headers: Record<string, string>) =>
    acme.fetch(`http://vault${path}`, { headers: { Origin: 'https://app.example.com', ...headers } })

  const own = await fetch('/tokens', { 'ACME-API-KEY': privateKey, 'ACME-TRACE-ID': 'mine' })
  t.equal(own.status, 200)
  t.equal(own.headers.get('acme-trace-id'), 'mine')
  t.equal(own.headers.get('svc-trace-id'), null)
  t.match(own.headers.get('access-control-expose-headers'), /ACME-TRACE-ID/)
  const other = await fetch('/tokens', { 'SVC-API-KEY': privateKey })
  t.equal(other.status, 401)
  t.match((await other.json()).detail, /ACME-API-KEY/)

  const preflight = await acme.fetch('http://vault/tokens', {
    method: 'OPTIONS',
    headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' },
  })
  t.match(preflight.headers.get('access-control-allow-headers'), /ACME-API-KEY, ACME-IDEMPOTENCY-KEY/)

  const served = await (await fetch('/docs/openapi.json', {})).text()
  const standard = (await ask('GET', '/docs/openapi.json')).text
  t.match(standard, /SVC-API-KEY/)
  t.notMatch(served, /SVC-[A-Z]/)
  t.equal(JSON.parse(served).components.securitySchemes.ApiKey.name, 'ACME-API-KEY')
  t.equal(JSON.parse(served).components.parameters.IdempotencyKey.name, 'ACME-IDEMPOTENCY-KEY')

  const keyed = { 'ACME-API-KEY': privateKey, 'Content-Type': 'application/json' }
  const store = (idempotency: string) =>
    acme.fetch('http://vault/tokens', {
      method: 'POST',
      headers: { ...keyed, 'ACME-IDEMPOTENCY-KEY': idempotency },
      body: '{"type":"token","data":1}',
    })
  const refused = await store('k'.repeat(256))
  t.equal(refused.status, 400)
  t.same(Object.keys((await refused.json()).errors), ['acme-idempotency-key'])
  t.equal((await store('k'.repeat(255))).status, 201)
})

t.test('/ leads browsers to /docs, and programs nowhere', async t => {
  const accept = async (Accept: string) => ask('GET', '/', undefined, { Accept })
  const browser = await accept('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
  t.equal(browser.status, 303)
  t.equal(browser.headers.get('location'), '/docs')
  t.equal(browser.headers.get('vary'), 'Accept, Origin')
  for (const other of ['*/*', 'application/json', 'text/htmlx'])
    t.match(await accept(other), { status: 404, json: { type: 'urn:surrogate:error:not_found' } }, other)
  t.equal((await ask('POST', '/', undefined, { Accept: 'text/html' })).status, 404)
})

t.test('/_dev is a page of development servers, for their own host', async t => {
  const files = { '/_dev': 'text/html', '/_dev/page.js': 'text/javascript', '/_dev/page.css': 'text/css' }
  const service = sender(openVault(t, { dev: false }), undefined)
  const guarded = openVault(t, { devToken: 'a-token-of-16-or-more', headerPrefix: 'ACME' })
  const { url } = await vault.listen()
  for (const [path, type] of Object.entries(files)) {
    const { status, headers, text } = await ask('GET', path)
    t.equal(status, 200, path)
    t.ok(headers.get('content-type')?.startsWith(type), path)
    t.ok(text.length > 400, path)
    const policy = headers.get('content-security-policy') ?? ''
    t.match(policy, /default-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/, path)
    t.notMatch(policy, /https?:|\*|unsafe/, path)
    t.equal(headers.get('x-frame-options'), 'DENY', path)
    t.equal((await ask('HEAD', path)).status, 200, path)
    t.equal((await ask('POST', path)).status, 404, path)
    t.equal((await service('GET', path)).status, 404, 'not a development server')
    t.equal((await sender(guarded, undefined)('GET', path)).status, 200, 'the files are no secret')
    t.equal(await statusFor(url, path, 'evil.example'), 403, 'DNS rebinding')
    t.equal(await statusFor(url, path, 'localhost:1'), 200)
  }
  t.match((await sender(guarded, undefined)('GET', '/_dev')).text, /name="surrogate" content="ACME"/)
  t.notMatch((await ask('GET', '/_dev')).text, /<script>|style=| on[a-z]+=|(src|href)="(https?:)?\/\//)
})

/** Returns the status of a request with a Host header of its own, which `fetch` does not send. */
function statusFor(url: string, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url + path, { headers: { Host: host } }, response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject)
  })
}

t.test('/livez and /readyz need no key, and say one word', async t => {
  const ask = sender(openVault(t, { dev: false }), undefined)
  for (const path of ['/livez', '/readyz']) {
    t.match(await ask('GET', path), { status: 200, text: '{"status":"ok"}' }, path)
    t.equal((await ask('HEAD', path)).status, 200)
    t.equal((await ask('POST', path)).status, 404)
    t.equal((await ask('GET', `${path}/x`)).status, 404)
  }
})

t.test('without its store a server lives and is not ready', async t => {
  let reason: string | undefined
  const store = new MemoryEngine()
  store.unhealthy = () => reason
  const ask = sender(openVault(t, {}, { openStore: async () => store }), undefined)
  t.equal((await ask('GET', '/readyz')).status, 200)
  reason = 'the database at db.internal does not answer'
  t.match(await ask('GET', '/readyz'), { status: 503, text: '{"status":"unavailable"}' })
  t.equal((await ask('GET', '/readyz')).headers.get('retry-after'), '1')
  t.equal((await ask('GET', '/livez')).status, 200)
  t.match(await ask('GET', '/healthz'), { status: 503, json: { reason } }, 'for people')
  reason = undefined
  t.equal((await ask('GET', '/readyz')).status, 200)
})

t.test('a server whose master key was rotated is not ready, and says so', async t => {
  const store = new MemoryEngine()
  const [old, next] = [newMasterKey(), newMasterKey()]
  const open = (masterKey: Uint8Array) =>
    openVault(t, { masterKey, dev: false }, { openStore: async () => store })
  const [vault, other] = [open(old), open(old)]
  const [known, strange] = [await openTenant(vault), await openTenant(other)]
  t.equal((await known.send('GET', '/tokens')).status, 200)
  await rotateMasterKey({ store, from: old, to: next, random: systemRandom(), nowUs: 1 })
  const ask = sender(vault, strange.privateKey)
  t.equal((await ask('GET', '/readyz')).status, 200, 'it has not met it yet')
  t.match(await ask('GET', '/tokens'), { status: 503 })
  t.equal((await ask('GET', '/readyz')).status, 503)
  t.match((await ask('GET', '/healthz')).json.reason, /^the master key was rotated/)
  t.equal((await known.send('GET', '/tokens')).status, 200, 'a tenant that it knows')
  await t.rejects(vault.createTenant(), { name: 'StoreUnavailable' })
  const after = sender(open(next), strange.privateKey)
  t.equal((await after('POST', '/tokens', { type: 'token', data: 1 })).status, 201, 'nothing is damaged')
})

t.test('a draining server is not ready, lives, and still serves', async t => {
  const vault = openVault(t)
  const { privateKey } = await vault.createTenant()
  const ask = sender(vault, privateKey)
  vault.drain()
  await vault.ready()
  t.match(await ask('GET', '/readyz'), { status: 503, text: '{"status":"draining"}' })
  t.equal((await ask('GET', '/livez')).status, 200)
  t.equal((await ask('GET', '/tokens')).status, 200)
})

t.test('a closing server is not ready before its port closes; that for metrics closes last', async t => {
  const vault = openVault(t, { metrics: true })
  const { privateKey } = await vault.createTenant()
  const { port } = await vault.listen()
  const metrics = await vault.listenForMetrics()
  const readiness = async () =>
    (await fetch(`${metrics.url}/readyz`, { headers: { Connection: 'close' } })).status
  t.equal(await readiness(), 200)
  const socket = connect(port, '127.0.0.1')
  const body = '{"type":"token","data":1}'
  const head = ['POST /tokens HTTP/1.1', 'Host: x', `SVC-API-KEY: ${privateKey}`, 'Expect: 100-continue']
  const more = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n`)
  await once(socket, 'data')
  const answered = once(socket, 'close')
  const closing = vault.close()
  t.equal(await readiness(), 503, 'while a request is in flight')
  let received = ''
  socket.on('data', text => {
    received += text
  })
  socket.write(body)
  await closing
  await answered
  t.match(received, /^HTTP\/1\.1 201/)
  await t.rejects(readiness(), 'closed')
})
