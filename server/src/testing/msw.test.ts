import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import t, { type Test } from 'tap'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { vaultHandlers } from './msw.ts'

function serve(t: Test, ...given: Parameters<typeof vaultHandlers>) {
  const elsewhere = http.all('*', () => new HttpResponse('elsewhere', { status: 418 }))
  const server = setupServer(...vaultHandlers(...given), elsewhere)
  server.listen({ onUnhandledRequest: 'error' })
  t.teardown(() => server.close())
}

/** As an application calls: by the global fetch, knowing nothing of a vault in its process. */
const ask = (url: string, key: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' } })

for (const base of [
  'https://vault.example.org',
  'https://vault.example.org/',
  'http://vault.test:81/v1/surrogate',
]) {
  t.test(`requests to ${base} reach the vault`, async t => {
    const vault = openVault(t)
    const tenant = await openTenant(vault)
    serve(t, vault, base)
    const at = (path: string) => base.replace(/\/$/, '') + path
    const body = JSON.stringify({ id: 'made', type: 'token', data: { a: 'é' }, metadata: { k: 'v' } })
    const created = await ask(at('/tokens'), tenant.privateKey, { method: 'POST', body })
    t.equal(created.status, 201)
    t.ok(created.headers.get('svc-trace-id'))
    const direct = await sender(vault, tenant.privateKey)('GET', '/tokens/made')
    t.same(direct.json.data, { a: 'é' }, 'it is the same vault')
    const list = await ask(at('/tokens?metadata.k=v&size=5'), tenant.privateKey)
    t.match(await list.json(), { pagination: { total_items: 1, page_size: 5 } })
    const refused = await ask(at('/tokens/made'), 'unknown')
    t.equal(refused.status, 401)
    t.equal(refused.headers.get('content-type'), 'application/problem+json')
    const deleted = await ask(at('/tokens/made'), tenant.privateKey, { method: 'DELETE' })
    t.equal(deleted.status, 204)
    t.equal((await ask(at('/nothing'), tenant.privateKey)).status, 404, 'also what the vault does not know')
  })
}

t.test('requests to other addresses do not reach the vault', async t => {
  const vault = openVault(t)
  const { privateKey } = await openTenant(vault)
  serve(t, vault, 'https://vault.example.org/v1')
  t.equal((await ask('https://vault.example.org/v1/tokens', privateKey)).status, 200, 'control')
  for (const url of [
    'https://vault.example.org/v1x/tokens',
    'https://vault.example.org/tokens',
    'https://vault-example.org/v1/tokens',
    'https://vault.example.org.test/v1/tokens',
    'http://vault.example.org/v1/tokens',
  ]) {
    t.equal((await ask(url, privateKey)).status, 418, url)
  }
})

t.test('a test can move the time', async t => {
  const vault = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const { privateKey } = await openTenant(vault)
  serve(t, vault, 'https://vault.example.org')
  const body = JSON.stringify({ id: 'ends', type: 'token', data: 1, expires_at: '2030-01-02' })
  await ask('https://vault.example.org/tokens', privateKey, { method: 'POST', body })
  const read = async () => (await ask('https://vault.example.org/tokens/ends', privateKey)).status
  t.equal(await read(), 200)
  await vault.clock.advance(24 * 60 * 60 * 1000)
  t.equal(await read(), 404)
})

t.test('an application meets the faults that a test has ordered', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  serve(t, vault, 'https://vault.example.org')
  const { faults } = vault.dev.forTenant(tenant)
  const list = async (fault: Parameters<typeof faults.next>[0]) => {
    await faults.next(fault)
    return ask('https://vault.example.org/tokens', tenant.privateKey)
  }
  t.equal((await list({ status: 502 })).status, 502)
  t.equal((await list({ status: 503 })).status, 503)
  await t.rejects(list({ drop: 'after' }), TypeError)
  await t.rejects((await list({ malformed: true })).json(), { name: 'SyntaxError' })
  await t.rejects((await list({ truncate: 5 })).text(), TypeError)
  t.ok((await (await list({ bytes_per_second: 1000 })).json()).pagination, 'slow, and whole')
  await faults.assertUsed()
  t.equal((await ask('https://vault.example.org/tokens', tenant.privateKey)).status, 200, 'control')
})

t.test('an invalid base URL is refused', async t => {
  const vault = openVault(t)
  t.equal(vaultHandlers(vault, 'https://vault.example.org').length, 1)
  for (const base of [
    '',
    'vault.example.org',
    '/v1',
    'ftp://vault.example.org',
    'https://vault.example.org/?a=b',
  ]) {
    t.throws(() => vaultHandlers(vault, base), TypeError, base)
  }
})
