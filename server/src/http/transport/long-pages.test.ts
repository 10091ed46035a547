import { request } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../../verify/support/vault.ts'
import { createLog } from '../../base/log.ts'
import { Validators } from '../../contract/validators.ts'
import { checkItems } from '../../dev/check-response.ts'
import { MemoryEngine } from '../../storage/engines/memory/memory-engine.ts'
import { StoreUnavailable } from '../../storage/port/port.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import { headerNamesOf } from '../pipeline/header-names.ts'

/** Pages of tokens that are too large to be in memory together: they are read, shown and sent one by one. */
const data = 'x'.repeat(200_000)
const production = { dev: false, developmentTenant: false } as const

async function create(tenant: TestTenant, body: object = {}): Promise<string> {
  const reply = await tenant.send('POST', '/tokens', { type: 'token', data, ...body })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json.id
}

/** Newest first. */
async function createMany(tenant: TestTenant, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made++) ids.unshift(await create(tenant))
  return ids
}

/** A store that counts what is read by id, and can stop answering. */
class CountingEngine extends MemoryEngine {
  tokensRead = 0
  failing = false

  override async get(...given: Parameters<MemoryEngine['get']>) {
    if (given[0] === 'token') {
      if (this.failing) throw new StoreUnavailable('gone')
      this.tokensRead += given[2].length
    }
    return super.get(...given)
  }
}

const ids = (text: string) => JSON.parse(text).data.map(({ id }: { id: string }) => id)

t.test('a long page has the same content as short ones, in process and over HTTP', async t => {
  const vault = openVault(t, production)
  const tenant = await openTenant(vault)
  const made = await createMany(tenant, 5)
  const { url } = await vault.listen()
  const headers = { 'SVC-API-KEY': tenant.privateKey }
  const single = await Promise.all(made.map(async id => (await tenant.send('GET', `/tokens/${id}`)).json))
  const long = await fetch(`${url}/tokens?size=4`, { headers })
  t.equal(long.headers.get('transfer-encoding'), 'chunked')
  t.equal(long.headers.get('content-type'), 'application/json')
  t.ok(long.headers.get('svc-trace-id'))
  const { pagination, data: shown } = await long.json()
  t.same(shown, single.slice(0, 4))
  const { next, ...numbers } = pagination
  t.same(numbers, { total_items: 5, page_number: 1, page_size: 4, total_pages: 2 })
  t.same((await tenant.send('GET', '/tokens?size=4')).json.data, single.slice(0, 4), 'in process')
  const rest = await fetch(`${url}/tokens?size=4&start=${next}`, { headers })
  const found = Number(rest.headers.get('content-length')) > data.length
  t.equal(found, true, 'the control: a short one in one piece')
  t.same((await rest.json()).data, single.slice(4))

  const search = await tenant.send('POST', '/tokens/search', { query: 'type:token' })
  t.same(search.json.data, single)
  const log = await tenant.asManagement('GET', '/logs?size=100')
  const searched = log.json.data.filter(
    ({ operation }: { operation: string }) => operation === 'token:search',
  )
  t.equal(searched.length, 5, 'each that was revealed is in the log')

  const masking = await tenant.application({ permissions: ['token:read'] })
  const masked = await fetch(`${url}/tokens`, { headers: { 'SVC-API-KEY': masking.key } })
  t.ok(masked.headers.has('content-length'), 'where little is shown of large tokens the page is short')
  t.same(ids(await masked.text()), made)
})

t.test('a development server checks long pages against the contract', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const made = await createMany(tenant, 3)
  const { url } = await vault.listen()
  const headers = { 'SVC-API-KEY': tenant.privateKey }
  const page = await fetch(`${url}/tokens`, { headers })
  t.equal(page.headers.get('transfer-encoding'), 'chunked', 'without holding them in memory together')
  t.same(ids(await page.text()), made)

  await vault.dev.forTenant(tenant).faults.next({ operation: 'tokens.list', truncate: 300_000 })
  await t.rejects((await fetch(`${url}/tokens`, { headers })).text(), 'a test can cut one off')
  t.same(ids(await (await fetch(`${url}/tokens`, { headers })).text()), made)
})

t.test('an item of a long page that breaks the contract is found when it is read', async t => {
  const tenant = await openTenant(openVault(t))
  await create(tenant, { data: 'short' })
  const { pagination, data: items } = (await tenant.send('GET', '/tokens')).json
  const validators = new Validators('SVC')
  const operation = validators.operations.find(({ id }) => id === 'tokens.list')
  const headerNames = headerNamesOf('SVC')
  async function* pages(...data: unknown[]) {
    yield* data
  }
  if (!operation) throw new Error('no such operation')
  const exchange = { traceId: 'trace' } as Exchange
  const checked = (...data: unknown[]) =>
    checkItems({ validators, headerNames }, exchange, operation, { pagination, data: pages(...data) })
  const kept = []
  for await (const item of checked(items[0], items[0])) kept.push(item)
  t.equal(kept.length, 2, 'the control')
  const broken = checked(items[0], { ...items[0], surplus: 1 })
  t.same((await broken.next()).value, items[0])
  await t.rejects(broken.next(), { code: 'internal', message: /breaks the contract/ })
})

t.test('each token is read when the one before it was taken; expired ones are left out', async t => {
  const store = new CountingEngine()
  const vault = openVault(t, production, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const inA = { rules: [{ priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:read'] }] }
  const reader = await tenant.application(inA)
  const made: string[] = []
  for (let count = 0; count < 12; count++) {
    const expires_at = count === 1 ? { expires_at: new Date(Date.now() + 3_600_000).toISOString() } : {}
    made.unshift(await create(tenant, { containers: ['/a/'], ...expires_at }))
  }
  store.tokensRead = 0
  const response = await vault.fetch('http://vault/tokens', { headers: { 'SVC-API-KEY': reader.key } })
  t.ok(store.tokensRead <= 3, `${store.tokensRead} are read before the first is taken`)
  await tenant.send('DELETE', `/tokens/${made[8]}`)
  await tenant.send('DELETE', `/tokens/${made[7]}`)
  await create(tenant, { id: made[7], containers: ['/a/'] })
  await tenant.send('PATCH', `/tokens/${made[9]}`, { containers: ['/b/'] })
  await tenant.send('PATCH', `/tokens/${made[11]}`, { data: 'changed' })
  await vault.clock.advance(3_600_000)
  const text = await response.text()
  // 7: another token has the id now. 8 is deleted, 9 in a container out of reach, 10 over.
  t.same(ids(text), [...made.slice(0, 7), made[11]])
  t.equal(JSON.parse(text).data.at(-1).data, 'changed')

  store.tokensRead = 0
  const abandoned = await vault.fetch('http://vault/tokens', { headers: { 'SVC-API-KEY': reader.key } })
  await abandoned.body?.cancel()
  const readByThen = store.tokensRead
  for (let quiet = 0; quiet < 50; quiet++) await turn()
  t.equal(store.tokensRead, readByThen, 'nothing is read for who has gone')
})

t.test('an error before the first piece is a problem document; a later one cuts it off', async t => {
  const lines: string[] = []
  const store = new CountingEngine()
  const log = createLog(line => lines.push(line))
  const vault = openVault(t, { ...production, log }, { openStore: async () => store })
  const tenant = await openTenant(vault)
  await createMany(tenant, 12)
  const { port } = await vault.listen()
  store.failing = true
  const refused = await tenant.send('GET', '/tokens')
  t.equal(refused.status, 503)
  t.equal(refused.json.type, 'urn:surrogate:error:unavailable')
  store.failing = false

  const headers = { 'SVC-API-KEY': tenant.privateKey, 'SVC-TRACE-ID': 'cut off' }
  const response = await vault.fetch('http://vault/tokens', { headers })
  store.failing = true
  await t.rejects(response.text(), 'in process')
  store.failing = false
  t.match(lines.join(''), /answer cut off.*"trace":"cut off"/)

  const asked = request({ port, host: '127.0.0.1', path: '/tokens', headers })
  const cut = new Promise<string | undefined>(resolve => {
    asked.on('response', incoming => {
      incoming.once('data', () => {
        store.failing = true
      })
      incoming.on('error', error => resolve((error as NodeJS.ErrnoException).code))
      incoming.on('end', () => resolve('whole'))
      incoming.resume()
    })
  })
  // Of 2.4 MB not all is on its way when the first of it arrives, as each token takes turns of its own.
  asked.end()
  t.equal(await cut, 'ECONNRESET', 'on the wire')
})

t.test('however many callers read long pages, they yield to others between tokens', async t => {
  let nowMs = 0
  // Every look at the clock finds the time of the iteration used up.
  const vault = openVault(t, production, { monotonicMs: () => (nowMs += 6) })
  const tenant = await openTenant(vault)
  await createMany(tenant, 10)
  let turns = 0
  let done = false
  const counting = (async () => {
    while (!done) {
      await turn()
      turns++
    }
  })()
  const pages = await Promise.all(Array.from({ length: 5 }, () => tenant.send('GET', '/tokens')))
  done = true
  await counting
  for (const { json } of pages) t.equal(json.data.length, 10)
  t.ok(turns >= 25, `${turns} turns for 50 tokens`)
})
