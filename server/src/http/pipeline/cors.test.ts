import { readFileSync } from 'node:fs'
import t from 'tap'
import { openTenant, openVault } from '../../../verify/support/vault.ts'

const contract = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))
const paths = Object.entries<object>(contract.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter(name => ['get', 'post', 'put', 'patch', 'delete'].includes(name))
    .map(
      method => [path.replace('{id}', '5b493235-6917-4307-906a-2cd6f1a90b13'), method.toUpperCase()] as const,
    ),
)
const app = 'https://app.example.com'

function preflight(method: string, origin = app) {
  return {
    Origin: origin,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': 'svc-api-key',
  }
}

t.test('a preflight for every operation of the contract accepts a listed origin', async t => {
  const vault = openVault(t, { dev: false, corsOrigins: [app, 'https://other.example.com'] })
  const { as } = await openTenant(vault)
  const ask = as(undefined)
  t.ok(paths.length >= 20)
  for (const [path, method] of paths) {
    const { status, headers, text } = await ask('OPTIONS', path, undefined, preflight(method))
    t.equal(status, 204, `${method} ${path}`)
    t.equal(text, '')
    t.equal(headers.get('access-control-allow-origin'), app)
    t.ok(headers.get('access-control-allow-methods')?.split(', ').includes(method), `${method} ${path}`)
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    for (const name of ['content-type', 'svc-api-key', 'svc-idempotency-key'])
      t.ok(allowed?.includes(name), name)
    const found = headers.get('access-control-allow-credentials')
    t.equal(found, null, 'keys travel in a header, never in cookies')
    t.equal(headers.get('vary'), 'Origin')
  }
})

t.test('pages of subdomains, apps and extensions are allowed by what they send as origin', async t => {
  const vault = openVault(t, {
    dev: false,
    corsOrigins: ['https://*.shop.example', 'capacitor://localhost', 'chrome-extension://abcdefgh'],
  })
  const ask = (await openTenant(vault)).as(undefined)
  for (const [origin, allowed] of [
    ['https://de.shop.example', true],
    ['https://a.de.shop.example', true],
    ['capacitor://localhost', true],
    ['chrome-extension://abcdefgh', true],
    ['https://shop.example', false],
    ['https://evilshop.example', false],
    ['http://de.shop.example', false],
    ['ionic://localhost', false],
    ['chrome-extension://abcdefg', false],
    ['null', false],
  ] as const) {
    const { headers } = await ask('OPTIONS', '/tokens', undefined, preflight('POST', origin))
    t.equal(headers.get('access-control-allow-origin'), allowed ? origin : null, origin)
  }
})

t.test('the header prefix is in the headers that a page may send and read', async t => {
  const vault = openVault(t, { headerPrefix: 'ACME', corsOrigins: [app] })
  for (const [path, method] of paths) {
    const headers = { ...preflight(method), 'Access-Control-Request-Headers': 'acme-api-key' }
    const answer = await vault.fetch(`http://vault${path}`, { method: 'OPTIONS', headers })
    const allowed = answer.headers.get('access-control-allow-headers')
    t.match(allowed, /\bACME-API-KEY, ACME-IDEMPOTENCY-KEY, ACME-TRACE-ID\b/, `${method} ${path}`)
    t.notMatch(allowed, /SVC-/, `${method} ${path}`)
  }
  const { privateKey } = await vault.createTenant()
  const read = await vault.fetch('http://vault/tokens', {
    headers: { Origin: app, 'ACME-API-KEY': privateKey },
  })
  t.equal(read.status, 200)
  t.equal(read.headers.get('access-control-expose-headers'), 'ACME-TRACE-ID, ACME-WARNING, Retry-After')
})

t.test('only a listed origin may read a response, refusals included', async t => {
  const vault = openVault(t, { corsOrigins: [app] })
  const tenant = await openTenant(vault)
  for (const path of ['/tokens', '/tokens/missing', '/nothing', '/tokens?page=0']) {
    const read = async (origin: string) =>
      (await tenant.send('GET', path, undefined, { Origin: origin })).headers
    const listed = await read(app)
    t.equal(listed.get('access-control-allow-origin'), app, path)
    t.match(listed.get('access-control-expose-headers'), /SVC-TRACE-ID/, path)
    for (const stranger of [
      'https://app.example.com.evil.test',
      'http://app.example.com',
      'https://APP.example.com:8443',
      'null',
    ])
      t.equal((await read(stranger)).get('access-control-allow-origin'), null, `${stranger} ${path}`)
  }
  const refused = await tenant.as(undefined)('GET', '/tokens', undefined, { Origin: app })
  t.equal(refused.status, 401)
  t.equal(refused.headers.get('access-control-allow-origin'), app, 'a page can read why')
  const stranger = await tenant.send('OPTIONS', '/tokens', undefined, preflight('POST', 'https://evil.test'))
  t.equal(stranger.status, 204)
  t.equal(stranger.headers.get('access-control-allow-origin'), null)
  t.equal(stranger.headers.get('access-control-allow-methods'), null)
})

t.test('without configured origins none may read, but under --dev any may', async t => {
  const vault = openVault(t, { dev: false })
  const tenant = await openTenant(vault)
  const closed = await tenant.send('OPTIONS', '/tokens', undefined, preflight('POST'))
  t.equal(closed.headers.get('access-control-allow-origin'), null)
  const read = await tenant.send('GET', '/tokens', undefined, { Origin: app })
  t.equal(read.status, 200)
  t.equal(read.headers.get('access-control-allow-origin'), null)

  const open = await openTenant(openVault(t))
  t.equal(
    (await open.send('GET', '/tokens', undefined, { Origin: app })).headers.get(
      'access-control-allow-origin',
    ),
    app,
  )
})

t.test('other OPTIONS requests are not preflights', async t => {
  const vault = openVault(t, { corsOrigins: ['*'] })
  const tenant = await openTenant(vault)
  t.equal((await tenant.send('OPTIONS', '/tokens', undefined, { Origin: app })).status, 405)
  t.equal(
    (await tenant.send('OPTIONS', '/tokens', undefined, { 'Access-Control-Request-Method': 'POST' })).status,
    405,
  )
  const plain = await tenant.send('GET', '/tokens')
  t.equal(plain.headers.get('access-control-allow-origin'), null, 'no origin was sent')
})
