// The client against the real server, over a connection that loses responses.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setupServer } from 'msw/node'
import t, { type Test } from 'tap'
import { vaultHandlers } from '../server/src/testing/msw.ts'
import type { Vault } from '../server/src/vault.ts'
import { openTenant, openVault, type TestTenant } from '../server/verify/support/vault.ts'
import { type Fetch, NotFoundError, Surrogate } from './src/index.ts'

const noWaits = { sleep: async () => {}, random: () => 0, now: () => 0 }

/** Starts a server that carries out each request, but closes the connection the first time instead of responding. */
async function startForgetful(t: Test, vault: Vault): Promise<{ baseUrl: string; lost: () => number }> {
  const answered = new Set<string>()
  let lost = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method = '', url = '', headers } = request
    const answer = await vault.fetch(`http://vault${url}`, {
      method,
      headers: Object.entries(headers).filter(([name]) => name !== 'transfer-encoding') as [string, string][],
      ...(body.length > 0 ? { body } : {}),
    })
    const text = await answer.text()
    const call = String(headers['svc-idempotency-key'] ?? `${method} ${url}`)
    if (!answered.has(call)) {
      answered.add(call)
      lost++
      return void request.socket.destroy()
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost: () => lost }
}

/** Returns how often something was done, by the audit log. */
async function timesDone(tenant: TestTenant, operation: string): Promise<number> {
  const { data } = (await tenant.asManagement('GET', '/logs?size=100')).json
  return data.filter((entry: { operation: string }) => entry.operation === operation).length
}

t.test('a retry after any lost response does nothing twice', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const made = await timesDone(tenant, 'application:create')
  const { baseUrl, lost } = await startForgetful(t, vault)
  const client = (apiKey: string) => new Surrogate({ apiKey, baseUrl }, noWaits)
  const backend = client(tenant.privateKey)
  const page = client(tenant.publicKey)
  const management = client(tenant.managementKey)

  const token = await backend.tokens.create({ type: 'token', data: 'a value' })
  await backend.tokens.update(token.id, { metadata: { a: 'b' } })
  t.type(await backend.tokenize('another value'), 'string')
  const application = await management.applications.create({
    name: 'Made once',
    type: 'private',
    permissions: ['token:read'],
  })
  const { session_key, nonce } = await page.sessions.create()
  await backend.sessions.authorize({ nonce, permissions: ['token:read'] })
  t.equal(lost(), 6, 'each response was lost once')

  t.equal(await timesDone(tenant, 'token:create'), 2)
  t.equal(await timesDone(tenant, 'token:update'), 1)
  t.equal(await timesDone(tenant, 'application:create'), made + 1)
  t.equal(await timesDone(tenant, 'session:create'), 1)
  t.equal(await timesDone(tenant, 'session:authorize'), 1)
  t.equal((await client(application.key).tokens.get(token.id)).id, token.id, 'the key is the one that works')
  t.equal((await page.withSession(session_key).tokens.get(token.id)).id, token.id)

  await backend.tokens.delete(token.id)
  t.equal(await timesDone(tenant, 'token:delete'), 1, 'a delete that finds nothing the second time is done')
})

t.test('without an idempotency key it would have happened twice', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { baseUrl } = await startForgetful(t, vault)
  const stripped: Fetch = (url, { headers: { 'svc-idempotency-key': _, ...headers }, ...init }) =>
    fetch(url, { ...init, headers })
  const surrogate = new Surrogate({ apiKey: tenant.privateKey, baseUrl, fetch: stripped }, noWaits)
  await surrogate.tokens.create({ type: 'token', data: 'a value' })
  t.equal(await timesDone(tenant, 'token:create'), 2)
})

t.test('the client works through msw', async t => {
  const vault = openVault(t)
  const { privateKey } = await openTenant(vault)
  const server = setupServer(...vaultHandlers(vault, 'https://vault.example.org/v1'))
  server.listen({ onUnhandledRequest: 'error' })
  t.teardown(() => server.close())
  const surrogate = new Surrogate({ apiKey: privateKey, baseUrl: 'https://vault.example.org/v1' })
  const { id } = await surrogate.tokens.create({ type: 'token', data: { a: [1, 'é'] } })
  await surrogate.tokens.update(id, { data: { b: null, c: 2 } })
  t.same((await surrogate.tokens.get(id)).data, { a: [1, 'é'], c: 2 })
  await surrogate.tokens.delete(id)
  await t.rejects(surrogate.tokens.get(id), NotFoundError)
  const aborted = surrogate.tokens.get(id, { signal: AbortSignal.abort('enough') }).catch(reason => reason)
  t.equal(await aborted, 'enough')
})

t.test('a list of several pages is complete and in order', async t => {
  const vault = openVault(t)
  const { privateKey } = await openTenant(vault)
  const surrogate = new Surrogate({ apiKey: privateKey, baseUrl: 'http://vault', fetch: vault.fetch })
  const made: string[] = []
  for (let index = 0; index < 7; index++) {
    const { id } = await surrogate.tokens.create({ type: 'token', data: index, metadata: { list: 'A b' } })
    made.unshift(id)
  }
  await surrogate.tokens.create({ type: 'token', data: 'of another list' })
  const list = surrogate.tokens.list<number>({ metadata: { list: 'a B' }, size: 3 })
  const { data, pagination } = await list
  t.same(
    data.map(token => token.id),
    made.slice(0, 3),
  )
  t.match(pagination, { total_items: 7, page_number: 1, page_size: 3, total_pages: 3 })
  const found: string[] = []
  for await (const token of list) found.push(token.id)
  t.same(found, made)
  const searched: string[] = []
  const query = 'metadata.list:"a b" AND NOT type:card'
  for await (const token of surrogate.tokens.search({ query, size: 2 })) searched.push(token.id)
  t.same(searched, made)
  t.equal((await surrogate.tokens.search({ query, page: 4, size: 2 })).data.length, 1)
})
