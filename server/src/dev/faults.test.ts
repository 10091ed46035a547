import fc from 'fast-check'
import t from 'tap'
import { ConnectionError, Surrogate, TimeoutError } from '../../../sdk/src/index.ts'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { FaultOptions } from '../generated/dev-client/index.ts'
import type { Vault } from '../vault.ts'
import { body, count, noWaits, open, shared } from './_faults.ts'

t.test('a request fails as often as was ordered, as a problem, and nothing is done', async t => {
  const { tenant, dev, clients } = await open(t)
  for (const [where, client] of clients(0)) {
    await dev.faults.next({ operation: 'tokens.create', times: 2, status: 503, retryAfter: 7 })
    const before = await count(tenant)
    for (const _ of [1, 2]) {
      const error = await client.tokens.create(body).catch(error => error)
      t.equal(error.status, 503, where)
      t.equal(error.problem?.type, 'urn:surrogate:error:unavailable')
      t.equal(error.headers?.get('retry-after'), '7')
      t.equal(error.problem?.instance, `urn:surrogate:trace:${error.traceId}`)
    }
    t.equal(await count(tenant), before, `${where}: nothing was stored, and other operations work`)
    t.ok((await client.tokens.create(body)).id, `${where}: the third works`)
  }
  await t.resolves(dev.faults.assertUsed())
})

t.test('the client repeats what failed, and a lost response does not do the work twice', async t => {
  const { tenant, dev, clients } = await open(t)
  for (const [where, client] of clients(2)) {
    await dev.faults.next({ operation: 'tokens.create', status: 503 })
    await dev.faults.next({ operation: 'tokens.create', drop: 'after' })
    const before = await count(tenant)
    const { data, retries } = await client.tokens.create(body).withResponse()
    t.ok(data.id, where)
    t.equal(retries, 2, where)
    t.equal(await count(tenant), before + 1, `${where}: one token`)
    await dev.faults.assertUsed()
  }
})

t.test('any mix of faults makes exactly one token for a client that repeats its request', async t => {
  const { tenant, dev, vault } = await open(t)
  const options = { ...shared(tenant, 12, 60_000), fetch: vault.fetch }
  const client = new Surrogate(options, noWaits)
  const fault = fc.constantFrom<FaultOptions>(
    { drop: 'before' },
    { drop: 'after' },
    { truncate: 0 },
    { truncate: 30 },
    { status: 503 },
    { status: 502 },
    { status: 504 },
    { status: 429 },
    { bytes_per_second: 1_000_000 },
  )
  const property = fc.asyncProperty(fc.array(fault, { maxLength: 6 }), async faults => {
    await dev.faults.clear()
    for (const one of faults) await dev.faults.next({ operation: 'tokens.create', ...one })
    const before = await count(tenant)
    await client.tokens.create(body)
    t.equal((await count(tenant)) - before, 1, JSON.stringify(faults))
  })
  await fc.assert(property, { numRuns: 50 })
})

t.test('a connection breaks before or after the work is done, or within the body', async t => {
  const { tenant, dev, clients } = await open(t)
  for (const [where, client] of clients(0)) {
    for (const [fault, done] of [
      [{ drop: 'before' }, 0],
      [{ drop: 'after' }, 1],
      [{ truncate: 0 }, 1],
      [{ truncate: 5 }, 1],
    ] as const) {
      const name = `${where} ${JSON.stringify(fault)}`
      await dev.faults.next({ operation: 'tokens.create', ...fault })
      const before = await count(tenant)
      const error = await client.tokens.create(body).catch(error => error)
      t.ok(error instanceof ConnectionError && !(error instanceof TimeoutError), name)
      t.equal((await count(tenant)) - before, done, name)
      await dev.faults.assertUsed()
    }
  }
})

t.test('fetch rejects as that of Node does', async t => {
  const { tenant, dev, vault, url } = await open(t)
  const headers = { 'SVC-API-KEY': tenant.privateKey }
  for (const fetched of [vault.fetch, fetch]) {
    await dev.faults.next({ drop: 'before' })
    const error = await fetched(`${url}/tokens`, { headers }).catch(error => error)
    t.ok(error instanceof TypeError)
    t.match(error, { message: 'fetch failed', cause: { code: 'UND_ERR_SOCKET' } })
    await dev.faults.next({ truncate: 3 })
    const response = await fetched(`${url}/tokens`, { headers })
    t.equal(response.status, 200)
    const reader = response.body?.getReader()
    const chunks: Uint8Array[] = []
    const broken = await (async () => {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true }
        if (done) return 'it ended'
        if (value) chunks.push(value)
      }
    })().catch(error => error)
    t.ok(broken instanceof TypeError, String(broken))
    t.equal(Buffer.concat(chunks).toString(), '{"p')
  }
})

t.test('a response is late, or never comes', async t => {
  const { tenant, dev, clients } = await open(t)
  for (const [where, client] of clients(0)) {
    await dev.faults.next({ operation: 'tokens.create', latency: 40, status: 429, retryAfter: 0 })
    const error = await client.tokens.create(body).catch(error => error)
    t.equal(error.status, 429, where)
  }
  for (const [where, client] of clients(0, 200)) {
    for (const [timeout, done] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      await dev.faults.next({ operation: 'tokens.create', timeout })
      const before = await count(tenant)
      t.ok((await client.tokens.create(body).catch(error => error)) instanceof TimeoutError, where)
      t.equal((await count(tenant)) - before, done, `${where} ${timeout}`)
    }
  }
})

t.test('what is held back does not keep a vault from closing', async t => {
  const { tenant, dev, vault, url } = await open(t)
  const headers = { 'SVC-API-KEY': tenant.privateKey }
  await dev.faults.next({ times: 2, timeout: 'after' })
  await dev.faults.next({ latency: 60_000 })
  const { next } = dev.requests
  const held = [
    fetch(`${url}/tokens`, { headers }),
    vault.fetch(`${url}/tokens`, { headers }),
    dev.inbox.next({ timeout: 30_000 }),
    next.call(dev.requests, { operation: 'tokens.search', timeout: 30_000 }),
  ].map(one => one.catch(error => error))
  const first = await dev.requests.next()
  await dev.requests.next({ since: first.number })
  await vault.close()
  for (const error of await Promise.all(held)) t.ok(error instanceof Error)
})

t.test('a fault matches by members of the body, after the others have been let through', async t => {
  const { tenant, dev } = await open(t)
  const create = async (more: object) => (await tenant.send('POST', '/tokens', { ...body, ...more })).status
  await dev.faults.next({ body: { type: 'token', 'metadata.order': '7' }, skip: 1, times: 2, status: 409 })
  const order = (order: string) => create({ metadata: { order } })
  t.same([await order('7'), await order('8'), await create({})], [201, 201, 201])
  t.same(
    [await order('7'), await order('7'), await order('7')],
    [409, 409, 201],
    'the second and third of a kind',
  )
  await dev.faults.assertUsed()
  const before = await count(tenant)
  await dev.faults.next({ body: { type: 'token' }, drop: 'before' })
  await t.rejects(create({}), TypeError)
  t.equal(await count(tenant), before, 'nothing was done')
  await dev.faults.next({ body: { 'constructor.name': 'Object' }, status: 409 })
  t.equal(await create({}), 201, 'own members only')
})

t.test('a fraction of requests fails, the same ones with the same seed', async t => {
  const { tenant, dev } = await open(t)
  const run = async (seed: number) => {
    await dev.faults.clear()
    await dev.faults.next({ operation: 'tokens.list', rate: 0.3, seed, status: 503 })
    const statuses: number[] = []
    for (let asked = 0; asked < 200; asked++) statuses.push((await tenant.send('GET', '/tokens')).status)
    await t.resolves(dev.faults.assertUsed())
    return statuses
  }
  const first = await run(7)
  t.same(await run(7), first)
  t.notSame(await run(8), first)
  const failed = first.filter(status => status === 503).length
  t.ok(failed > 30 && failed < 90, `${failed} of 200`)
  await dev.faults.clear()
  await dev.faults.next({ rate: 1, times: 2, status: 503 })
  const statuses = []
  for (let asked = 0; asked < 3; asked++) statuses.push((await tenant.send('GET', '/tokens')).status)
  t.same(statuses, [503, 503, 200], 'up to `times`')
})

t.test('a scenario is ordered in one line', async t => {
  const { tenant, dev, clients } = await open(t)
  await dev.faults.scenario('outage')
  t.equal((await tenant.send('GET', '/tokens')).status, 503)
  t.equal((await tenant.send('POST', '/tokens', body)).status, 503)
  await dev.faults.clear()
  await dev.faults.scenario('outage', { operation: 'tokens.create' })
  t.equal((await tenant.send('GET', '/tokens')).status, 200)
  await dev.faults.clear()
  for (const [where, client] of clients(10)) {
    await dev.faults.scenario('flaky', { operation: 'tokens.create', seed: 3 })
    const before = await count(tenant)
    for (let made = 0; made < 20; made++) await client.tokens.create(body)
    t.equal(await count(tenant), before + 20, `${where}: each once`)
    t.ok(
      (await dev.faults.list()).every(({ used }) => used > 0),
      where,
    )
    await dev.faults.clear()
  }
  await dev.faults.scenario('slow')
  t.equal((await tenant.send('GET', '/tokens')).status, 200)
  await dev.faults.assertUsed()
  await t.rejects(dev.faults.scenario('outrage' as 'outage'), {
    name: 'TypeError',
    message: 'the scenario must be one of outage, flaky, slow',
  })
})

t.test('a fault matches only what it says, and never another tenant', async t => {
  const { tenant, dev, vault } = await open(t)
  const other = await openTenant(vault)
  const mine = await tenant.application({ permissions: ['token:read'] })
  const { json } = await tenant.send('POST', '/tokens', body)
  const get = async (send = tenant.send, headers = {}, id = json.id) =>
    (await send('GET', `/tokens/${id}`, undefined, headers)).status

  await dev.faults.next({ times: 1000, status: 500 })
  t.equal((await other.send('GET', '/tokens')).status, 200, 'another tenant')
  t.equal((await vault.fetch('http://vault/tokens')).status, 401, 'nobody')
  t.equal((await vault.fetch('http://vault/healthz')).status, 200)
  t.equal(await get(), 500, 'the control')
  await dev.faults.clear()
  t.equal(await get(), 200)

  for (const [fault, hit, miss] of [
    [{ operation: 'tokens.get' }, () => get(), async () => (await tenant.send('GET', '/tokens')).status],
    [{ id: json.id }, () => get(), async () => (await tenant.send('GET', '/tokens/other')).status],
    [{ application_id: mine.id }, () => get(mine), () => get()],
    [{ trace_id: 'this' }, () => get(tenant.send, { 'SVC-TRACE-ID': 'this' }), () => get()],
  ] as const) {
    await dev.faults.next({ ...fault, status: 409 })
    const name = JSON.stringify(fault)
    t.not(await miss(), 409, name)
    t.equal(await hit(), 409, name)
    t.not(await hit(), 409, `${name}: once`)
  }

  await dev.faults.next({ skip: 2, times: 2, status: 422 })
  const statuses = []
  for (let count = 0; count < 6; count++) statuses.push(await get())
  t.same(statuses, [200, 200, 422, 422, 200, 200])
  t.same(await vault.dev.forTenant(other).faults.list(), [])
})

t.test('a fault that is not used fails the test that asks', async t => {
  const { tenant, dev } = await open(t)
  await dev.faults.next({ operation: 'tokens.get', times: 3, status: 404 })
  await dev.faults.next({ operation: 'tokens.list', status: 500 })
  await tenant.send('GET', '/tokens')
  await tenant.send('GET', '/tokens/any')
  const error = await dev.faults.assertUsed().catch(error => error)
  t.match(error, {
    name: 'AssertionError',
    message: /tokens\.get.*used 1 of 3 times/,
    actual: 1,
    expected: 2,
  })
  t.notMatch(error.message, 'tokens.list')
  await dev.faults.clear()
  await t.rejects(dev.faults.assertUsed(), { name: 'AssertionError', message: /^no fault was ordered/ })
  await dev.faults.scenario('outage', { operation: 'tokens.list' })
  await t.rejects(dev.faults.assertUsed(), { name: 'AssertionError', message: /"rate":1.*: never used$/ })
  await tenant.send('GET', '/tokens')
  await t.resolves(dev.faults.assertUsed(), 'control')
})

t.test('faults that could not happen are refused', async t => {
  const { dev } = await open(t)
  for (const [fault, message] of [
    [{}, /must have one of status, drop, truncate, timeout, malformed, duplicate, bytes_per_second, latency/],
    [{ status: 503, drop: 'after' }, /drop cannot be combined with status/],
    [{ status: 200 }, /status must be a status of an error/],
    [{ status: 405 }, /status must be a status of an error/],
    [
      { operation: 'tokens.crate', status: 503 },
      /operation is not an operation; did you mean tokens\.create\?/,
    ],
    [{ operation: 'dev.reset', status: 503 }, /^dev\.faults\.next: operation is not an operation$/],
    [{ operation: 'proxy', status: 503 }, /; its operations are proxy\.get, proxy\.post, /],
    [{ statsu: 503 }, /statsu is not a member of this object; did you mean status\?/],
    [{ status: 503, times: 0 }, /times must be at least 1/],
    [{ status: 503, times: 1001 }, /times must be at most 1000/],
    [{ latency: 60_001 }, /latency must be at most 60000/],
    [{ latency: 1, retryAfter: 1 }, /retry_after needs a status/],
    [{ status: 503, reactor_id: '00000000-0000-4000-8000-000000000000' }, /reactor_id is for deliveries/],
    [{ on: 'delivery', status: 503, operation: 'tokens.get' }, /operation is for requests only/],
    [{ on: 'delivery', drop: 'after' }, /drop must be before/],
    [{ on: 'delivery' }, /must have one of status, drop, latency/],
    [{ on: 'delivery', status: 503, body: { type: 'card' } }, /body is for requests only/],
    [{ on: 'delivery', malformed: true }, /malformed is for requests only/],
    [{ malformed: true, truncate: 1 }, /malformed cannot be combined with truncate/],
    [{ status: 505 }, /status must be a status of an error in the contract, such as 503, or 502 or 504/],
    [{ status: 503, seed: 1 }, /seed needs a rate/],
    [{ status: 503, rate: 0 }, /rate must be > 0/],
    [{ status: 503, rate: 1.1 }, /rate must be at most 1/],
    [{ status: 503, body: {} }, /body/],
    [{ status: 503, body: { data: { number: '1' } } }, /body.data must be/],
    [{ status: 503, body: { type: 'x'.repeat(1001) } }, /body.type must have at most 1000 characters/],
    [{ status: 503, id: 'x'.repeat(401) }, /id must have at most 400 characters/],
    [{ on: 'formula', status: 429 }, /status does not apply to a formula/],
    [{ on: 'react', status: 429 }, /on must be one of request, delivery, formula/],
  ] as const) {
    const error = await dev.faults.next(fault as object).catch(error => error)
    t.match(error.message, message, JSON.stringify(fault))
    t.equal(error.status, 400)
  }
  t.same(await dev.faults.list(), [])
  for (let added = 0; added < 1000; added++) await dev.faults.next({ status: 503 })
  t.match((await dev.faults.next({ status: 503 }).catch(error => error)).message, /1000 faults already/)
})

t.test('the client of a formula meets faults, too, and repeats its request', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { faults, requests } = vault.dev.forTenant(tenant)
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const code =
    "module.exports = async req => ({ raw: (await req.svc.tokens.create({ type: 'token', data: 1 })).id })"
  const react = await reactorOn(tenant, code, { reactor: { application: { id: application } } })
  await faults.next({ operation: 'tokens.create', drop: 'after' })
  const { status, json } = await react({})
  t.equal(status, 200)
  t.equal((await requests.list({ operation: 'tokens.create' })).length, 2)
  t.equal(await count(tenant), 1)
  t.equal((await tenant.send('GET', `/tokens/${json.raw}`)).status, 200)
  await faults.assertUsed()
})

t.test('a formula is busy as often as was ordered: 429 at once, later for a job', async t => {
  const vault: Vault = openReactors(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  const other = await reactorOn(tenant, 'module.exports = async () => ({ raw: 2 })')
  await dev.faults.next({ on: 'formula', reactor_id: react.id })
  t.equal((await other({})).status, 200, 'another reactor')
  const busy = await react({})
  t.equal(busy.status, 429)
  t.equal(busy.headers.get('retry-after'), '1')
  t.equal((await react({})).status, 200)
  await dev.faults.next({ on: 'formula', times: 2 })
  t.equal((await react({ callback_url: dev.inbox.url })).status, 202)
  for (let count = 0; count < 3; count++) await vault.clock.advance(2000)
  t.same((await dev.inbox.next()).body, { raw: 1 })
  await dev.faults.assertUsed()
})
