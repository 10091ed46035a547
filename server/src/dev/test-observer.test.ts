import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import t, { type Test } from 'tap'
import { ConnectionError, TimeoutError } from '../../../sdk/src/index.ts'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import type { Dev, FaultOptions } from '../generated/dev-client/index.ts'
import { vaultHandlers } from '../testing/msw.ts'
import type { Vault } from '../vault.ts'
import { failureOf, openClients, openDev, turns } from './_dev.ts'

const body = { type: 'token', data: 'a value' } as const

t.test('a request fails as often as was ordered, as a problem, and nothing is done', async t => {
  const { count, dev, ways, client } = await openClients(t)
  for (const [where, fetched] of ways) {
    const { tokens } = client(fetched)
    await dev.faults.next({ operation: 'tokens.create', times: 2, status: 503, retryAfter: 7, latency: 40 })
    const before = await count()
    for (const _ of [1, 2]) {
      const error = await tokens.create(body).catch(error => error)
      t.equal(error.status, 503, where)
      t.equal(error.problem?.type, 'urn:surrogate:error:unavailable')
      t.equal(error.headers?.get('retry-after'), '7')
      t.equal(error.problem?.instance, `urn:surrogate:trace:${error.traceId}`)
    }
    t.equal(await count(), before, `${where}: nothing was stored, and other operations work`)
    t.ok((await tokens.create(body)).id, `${where}: the third works`)
  }
  await t.resolves(dev.faults.assertUsed())
})

t.test('any mix of faults makes exactly one token for a client that repeats its request', async t => {
  const { count, dev, ways, client } = await openClients(t)
  const fault = fc.constantFrom<FaultOptions>(
    ...([{ drop: 'before' }, { drop: 'after' }, { truncate: 0 }, { truncate: 30 }] as const),
    ...[503, 502, 504, 429].map(status => ({ status })),
    { bytes_per_second: 1_000_000 },
  )
  for (const [where, fetched] of ways) {
    const { tokens } = client(fetched, 12)
    const property = fc.asyncProperty(fc.array(fault, { maxLength: 6 }), async faults => {
      await dev.faults.clear()
      for (const one of faults) await dev.faults.next({ operation: 'tokens.create', ...one })
      const before = await count()
      await tokens.create(body)
      t.equal((await count()) - before, 1, `${where} ${JSON.stringify(faults)}`)
    })
    await fc.assert(property, { numRuns: 15 })
  }
})

t.test('a response is lost, cut off or never comes, before or after the work is done', async t => {
  const { count, dev, ways, client } = await openClients(t)
  for (const [where, fetched] of ways) {
    for (const [fault, done, timeout] of [
      [{ drop: 'before' }, 0, 60_000],
      [{ drop: 'after' }, 1, 60_000],
      [{ truncate: 0 }, 1, 60_000],
      [{ truncate: 5 }, 1, 60_000],
      [{ timeout: 'before' }, 0, 200],
      [{ timeout: 'after' }, 1, 200],
    ] as const) {
      const name = `${where} ${JSON.stringify(fault)}`
      await dev.faults.next({ operation: 'tokens.create', ...fault })
      const before = await count()
      const error = await failureOf(client(fetched, 0, timeout).tokens.create(body))
      t.ok(error instanceof ConnectionError, name)
      t.equal(error instanceof TimeoutError, 'timeout' in fault, name)
      t.equal((await count()) - before, done, name)
      await dev.faults.assertUsed()
    }
  }
})

t.test('fetch rejects as that of Node does', async t => {
  const { dev, url, ways, headers } = await openClients(t)
  for (const [where, fetched] of ways) {
    await dev.faults.next({ drop: 'before' })
    const error = await failureOf(fetched(`${url}/tokens`, { headers }))
    t.ok(error instanceof TypeError, where)
    t.match(error, { message: 'fetch failed', cause: { code: 'UND_ERR_SOCKET' } })
    await dev.faults.next({ truncate: 3 })
    const response = await fetched(`${url}/tokens`, { headers })
    t.equal(response.status, 200)
    const chunks: Uint8Array[] = []
    const reading = (async () => {
      for await (const chunk of response.body ?? []) chunks.push(chunk)
    })()
    await t.rejects(reading, TypeError)
    t.equal(Buffer.concat(chunks).toString(), '{"p')
  }
})

t.test('a gateway in front of the server fails with a page of its own', async t => {
  const { dev, url, ways, headers } = await openClients(t)
  for (const [where, fetched] of ways) {
    for (const status of [502, 504]) {
      await dev.faults.next({ status, retryAfter: 3 })
      const response = await fetched(`${url}/tokens`, { headers })
      t.equal(response.status, status, where)
      t.equal(response.headers.get('content-type'), 'text/html')
      t.equal(response.headers.get('retry-after'), '3')
      t.match(await response.text(), new RegExp(`<h1>${status} `))
      const recorded = (await dev.requests.list()).at(-1)
      t.match(recorded, { status, faulty: true })
      t.notOk(recorded?.error, 'it is not a problem of the server')
    }
  }
})

t.test('a request arrives twice, which an idempotency key makes harmless', async t => {
  const { tenant, count, dev, url, ways, headers } = await openClients(t)
  for (const [, fetched] of ways) {
    for (const made of [1, 2]) {
      await dev.requests.clear()
      const before = await count()
      await dev.faults.next({ operation: 'tokens.create', duplicate: true })
      const key = made === 1 ? { 'SVC-IDEMPOTENCY-KEY': randomUUID() } : {}
      const given = { method: 'POST', headers: { ...headers, ...key }, body: JSON.stringify(body) }
      const response = await fetched(`${url}/tokens`, given)
      t.equal(response.status, 201)
      t.equal(await count(), before + made)
      const both = await dev.requests.list({ operation: 'tokens.create' })
      t.match(both, Array(2).fill({ status: 201, faulty: true }))
      t.equal(both.length, 2)
      const { id } = (await response.json()) as { readonly id: string }
      t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 200, 'the caller knows the second one')
    }
  }
  await dev.faults.next({ operation: 'tokens.create', duplicate: true })
  t.equal((await tenant.send('POST', '/tokens', { type: 'card' })).status, 400)
  await dev.faults.next({ operation: 'tokens.get', duplicate: true })
  t.equal((await tenant.send('GET', '/tokens/missing')).status, 404)
  await dev.faults.assertUsed()
})

t.test('a body is malformed, or comes slowly', async t => {
  const { count, dev, vault, url, ways, headers } = await openClients(t)
  for (const [where, fetched] of ways) {
    const create = async (fault: FaultOptions) => {
      await dev.faults.next({ operation: 'tokens.create', ...fault })
      return fetched(`${url}/tokens`, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    const before = await count()
    const malformed = await create({ malformed: true })
    t.equal(malformed.status, 201, where)
    await t.rejects(malformed.json(), { name: 'SyntaxError' })
    t.equal(await count(), before + 1, 'the work was done')
    t.match(await (await create({ bytes_per_second: 2000 })).json(), { id: /./ }, `${where}: whole`)
    await (await create({ bytes_per_second: 1 })).body?.cancel()
    await vault.settled()
    const cleared = await create({ bytes_per_second: 1 })
    await dev.faults.clear()
    t.match(await cleared.json(), { id: /./ }, `${where}: the rest comes at once`)
  }
})

t.test('what is held back does not keep a vault from closing', async t => {
  const { dev, vault, url, ways, headers } = await openClients(t)
  await dev.faults.next({ times: 2, timeout: 'after' })
  const held = [
    ...ways.map(([, fetched]) => fetched(`${url}/tokens`, { headers })),
    dev.inbox.next({ timeout: 30_000 }),
    dev.requests.next({ operation: 'tokens.search', timeout: 30_000 }),
  ].map(failureOf)
  await taken(dev)
  await vault.close()
  for (const error of await Promise.all(held)) t.not(error.message, 'it did not fail')
})

/** Resolves when all faults are at work. */
async function taken({ faults }: Dev): Promise<void> {
  while ((await faults.list()).some(({ left }) => left > 0)) await nextTurn()
}

/** Returns ways to ask, in process, over the wire and by msw. */
async function askers(t: Test, vault: Vault, key: string, method: string) {
  const { url } = await vault.listen()
  const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
  const given = { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) }
  const site = 'https://vault.example.org'
  const server = setupServer(
    ...vaultHandlers(vault, site),
    http.all('*', () => HttpResponse.error()),
  )
  t.teardown(() => server.close())
  return {
    inProcess: (path: string, signal: AbortSignal) =>
      vault.fetch(`http://vault${path}`, { ...given, signal }),
    overTheWire: (path: string, signal: AbortSignal) => fetch(`${url}${path}`, { ...given, signal }),
    byMsw: (path: string, signal: AbortSignal) => {
      server.listen({ onUnhandledRequest: 'error' })
      return fetch(`${site}${path}`, { ...given, signal }).finally(() => server.close())
    },
  }
}

t.test('a fault that holds a request or a formula ends when its caller gives up', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const react = await reactorOn(tenant, "module.exports = async () => ({ raw: 'done' })")
  for (const [fault, method, path] of [
    [{ timeout: 'before' }, 'GET', '/tokens'],
    [{ timeout: 'after' }, 'GET', '/tokens'],
    [{ latency: 60_000 }, 'GET', '/tokens'],
    [{ on: 'formula', latency: 60_000 }, 'POST', react.path],
  ] as const) {
    for (const [way, ask] of Object.entries(await askers(t, vault, tenant.privateKey, method))) {
      const name = `${way}: ${JSON.stringify(fault)}`
      await dev.faults.next(fault)
      const caller = new AbortController()
      const asked = failureOf(ask(path, caller.signal))
      await taken(dev)
      caller.abort()
      t.match(await asked, { name: 'AbortError' }, name)
      // Without its caller it would be held for a minute, which is longer than a test may take.
      await t.resolves(vault.settled(), name)
    }
  }
  await dev.faults.next({ on: 'formula', latency: 60_000 })
  t.equal((await react({ callback_url: dev.inbox.url })).status, 202)
  await taken(dev)
  let isSettled = false
  const settled = vault.settled().then(() => (isSettled = true))
  await turns()
  t.notOk(isSettled, 'the request of a job has ended, and it waits')
  await dev.faults.clear()
  await settled
})

t.test('clear ends the faults at work of its tenant, and a reset those of all', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const other = vault.dev.forTenant(await openTenant(vault))
  for (const end of [() => dev.faults.clear(), () => vault.reset()]) {
    await dev.faults.next({ latency: 60_000 })
    let isOver = false
    const asked = tenant.send('GET', '/tokens').then(() => (isOver = true))
    await taken(dev)
    await other.faults.clear()
    await turns()
    t.notOk(isOver, `control: ${end}`)
    await end()
    await t.resolves(asked)
    await t.resolves(vault.settled())
  }
})

t.test('a fault that holds a request of a formula ends with the formula', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const code = `module.exports = async ({ svc }) => {
    svc.tokens.create({ type: 'token', data: 1 }).catch(() => {})
    await new Promise(resolve => setTimeout(resolve, 100))
    return { raw: 'not awaited' }
  }`
  const react = await reactorOn(tenant, code, { reactor: { application: { id: application } } })
  await dev.faults.next({ operation: 'tokens.create', timeout: 'before' })
  t.match(await react(), { status: 200, json: { raw: 'not awaited' } })
  await dev.faults.assertUsed()
  await t.resolves(vault.settled())
})
