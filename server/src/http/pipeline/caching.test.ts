import t from 'tap'
import { openTenant, openVault } from '../../../verify/support/vault.ts'

const send = (url: string, path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${url}${path}`, { ...init, headers: { ...headers, 'Content-Type': 'application/json' } })

t.test('no response of an operation may be kept, and each says that it depends on the key', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { url } = await vault.listen()
  const key = { 'SVC-API-KEY': tenant.privateKey }
  const token = JSON.stringify({ id: 'a-token', type: 'token', data: 1 })
  const responses = [
    [201, await send(url, '/tokens', key, { method: 'POST', body: token })],
    [200, await send(url, '/tokens/a-token', key)],
    [200, await send(url, '/tokens', key)],
    [200, await send(url, '/tokens/search', key, { method: 'POST', body: '{}' })],
    [200, await send(url, '/applications/key', key)],
    [400, await send(url, '/tokens', key, { method: 'POST', body: '{' })],
    [401, await send(url, '/tokens', {})],
    [403, await send(url, '/reactors', key)],
    [404, await send(url, '/nowhere', key)],
    [405, await send(url, '/tokens', key, { method: 'PUT', body: '{}' })],
    [409, await send(url, '/tokens', key, { method: 'POST', body: token })],
    [204, await send(url, '/tokens/a-token', key, { method: 'DELETE' })],
  ] as const
  for (const [expected, { status, headers, url }] of responses) {
    t.equal(status, expected, url)
    t.equal(headers.get('cache-control'), 'no-store', `${status} ${url}`)
    t.match(headers.get('vary'), /\bSVC-API-KEY\b/, `${status} ${url}`)
  }
})

t.test('what depends on the origin says so, for every origin', async t => {
  const vault = openVault(t, { dev: false, developmentTenant: false, corsOrigins: ['https://a.example'] })
  for (const Origin of ['https://a.example', 'https://b.example', undefined]) {
    const headers = { ...(Origin && { Origin }) }
    const { headers: sent } = await vault.fetch('http://vault/tokens', { headers })
    t.match(sent.get('vary'), /\bOrigin\b/, String(Origin))
    t.match(sent.get('vary'), /\bSVC-API-KEY\b/, String(Origin))
    t.equal(sent.has('access-control-allow-origin'), Origin === 'https://a.example')
  }
})

t.test('files of the documentation may be kept, the health of the server not', async t => {
  const vault = openVault(t)
  const cacheOf = async (path: string) =>
    (await vault.fetch(`http://vault${path}`)).headers.get('cache-control')
  t.equal(await cacheOf('/docs'), 'no-cache')
  for (const path of ['/livez', '/readyz', '/healthz', '/_dev/nothing'])
    t.equal(await cacheOf(path), 'no-store', path)
})
