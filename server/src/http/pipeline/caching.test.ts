import t from 'tap'
import { openVault } from '../../../verify/support/vault.ts'

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
