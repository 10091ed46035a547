import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { failureOf, openClients, openDev } from './_dev.ts'

t.test('a fault matches only what it says, and never another tenant', async t => {
  const { tenant, dev, vault, list } = await openClients(t)
  const other = await openTenant(vault)
  const mine = await tenant.application({ permissions: ['token:read'] })
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 1 })).json
  const get = async (send = tenant.send, headers = {}) =>
    (await send('GET', `/tokens/${id}`, undefined, headers)).status

  await dev.faults.next({ times: 1000, status: 500 })
  t.equal((await other.send('GET', '/tokens')).status, 200, 'another tenant')
  t.equal((await vault.fetch('http://vault/tokens')).status, 401, 'nobody')
  t.equal((await vault.fetch('http://vault/healthz')).status, 200)
  t.equal(await get(), 500, 'the control')
  await dev.faults.clear()
  t.equal(await get(), 200)
  for (const [fault, hit, miss] of [
    [{ operation: 'tokens.get' }, () => get(), list],
    [{ id }, () => get(), async () => (await tenant.send('GET', '/tokens/other')).status],
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
  for (let asked = 0; asked < 6; asked++) statuses.push(await get())
  t.same(statuses, [200, 200, 422, 422, 200, 200])
  t.same(await vault.dev.forTenant(other).faults.list(), [])
})

t.test('a fault matches by members of the body, after the others have been let through', async t => {
  const { count, dev, create } = await openClients(t)
  await dev.faults.next({ body: { type: 'token', 'metadata.order': '7' }, skip: 1, times: 2, status: 409 })
  const statuses = []
  for (const order of ['7', '8', '', '7', '7', '7']) statuses.push(await create({ metadata: { order } }))
  t.same(statuses, [201, 201, 201, 409, 409, 201], 'the second and third of a kind')
  await dev.faults.assertUsed()
  const before = await count()
  await dev.faults.next({ body: { type: 'token' }, drop: 'before' })
  await t.rejects(create({}), TypeError)
  t.equal(await count(), before, 'nothing was done')
  await dev.faults.next({ body: { 'constructor.name': 'Object' }, status: 409 })
  t.equal(await create({}), 201, 'own members only')
})

t.test('a fraction of requests fails, the same ones with the same seed', async t => {
  const { dev, list } = await openClients(t)
  const run = async (seed: number) => {
    await dev.faults.clear()
    await dev.faults.next({ operation: 'tokens.list', rate: 0.3, seed, status: 503 })
    const statuses: number[] = []
    for (let asked = 0; asked < 200; asked++) statuses.push(await list())
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
  t.same([await list(), await list(), await list()], [503, 503, 200], 'up to `times`')
})

t.test('a scenario is ordered in one line', async t => {
  const { count, dev, ways, client, list, create } = await openClients(t)
  await dev.faults.scenario('outage')
  t.same([await list(), await create({})], [503, 503])
  await dev.faults.clear()
  await dev.faults.scenario('outage', { operation: 'tokens.create' })
  t.equal(await list(), 200)
  await dev.faults.clear()
  for (const [where, fetched] of ways) {
    await dev.faults.scenario('flaky', { operation: 'tokens.create', seed: 3 })
    const before = await count()
    for (let made = 0; made < 20; made++) await client(fetched, 10).tokens.create({ type: 'token', data: 1 })
    t.equal(await count(), before + 20, `${where}: each once`)
    t.notOk(
      (await dev.faults.list()).some(({ used }) => used === 0),
      where,
    )
    await dev.faults.clear()
  }
  const warned = t.capture(process, 'emitWarning')
  await dev.faults.scenario('slow')
  t.equal(await list(), 200)
  await dev.faults.assertUsed()
  t.same(warned(), [], 'it has one listener, however many pieces')
  await t.rejects(dev.faults.scenario('outrage' as 'outage'), {
    name: 'TypeError',
    message: 'the scenario must be one of outage, flaky, slow',
  })
})

t.test('a fault that is not used fails the test that asks', async t => {
  const { dev, tenant, list } = await openClients(t)
  await dev.faults.next({ operation: 'tokens.get', times: 3, status: 404 })
  await dev.faults.next({ operation: 'tokens.list', status: 500 })
  await list()
  await tenant.send('GET', '/tokens/any')
  const error = await failureOf(dev.faults.assertUsed())
  const message = /tokens\.get.*used 1 of 3 times/
  t.match(error, { name: 'AssertionError', message, actual: 1, expected: 2 })
  t.notMatch(error.message, 'tokens.list')
  await dev.faults.clear()
  await t.rejects(dev.faults.assertUsed(), { name: 'AssertionError', message: /^no fault was ordered/ })
  await dev.faults.scenario('outage', { operation: 'tokens.list' })
  await t.rejects(dev.faults.assertUsed(), { name: 'AssertionError', message: /"rate":1.*: never used$/ })
  await list()
  await t.resolves(dev.faults.assertUsed(), 'control')
})

t.test('faults that could not happen are refused', async t => {
  const { dev } = await openClients(t)
  const uuid = '00000000-0000-4000-8000-000000000000'
  const status = 503
  for (const [fault, message] of [
    [{}, /must have one of status, drop, truncate, timeout, malformed, duplicate, bytes_per_second, latency/],
    [{ status, drop: 'after' }, /drop cannot be combined with status/],
    [{ status: 200 }, /status must be a status of an error/],
    [{ status: 405 }, /status must be a status of an error/],
    [{ status: 505 }, /status must be a status of an error in the contract, such as 503, or 502 or 504/],
    [{ operation: 'tokens.crate', status }, /operation is not an operation; did you mean tokens\.create\?/],
    [{ operation: 'dev.reset', status }, /^dev\.faults\.next: operation is not an operation$/],
    [{ operation: 'proxy', status }, /; its operations are proxy\.get, proxy\.post, /],
    [{ statsu: 503 }, /statsu is not a member of this object; did you mean status\?/],
    [{ status, times: 0 }, /times must be at least 1/],
    [{ status, times: 1001 }, /times must be at most 1000/],
    [{ latency: 60_001 }, /latency must be at most 60000/],
    [{ latency: 1, retryAfter: 1 }, /retry_after needs a status/],
    [{ status, reactor_id: uuid }, /reactor_id is for deliveries/],
    [{ on: 'delivery', status, operation: 'tokens.get' }, /operation is for requests only/],
    [{ on: 'delivery', drop: 'after' }, /drop must be before/],
    [{ on: 'delivery' }, /must have one of status, drop, latency/],
    [{ on: 'delivery', status, body: { type: 'card' } }, /body is for requests only/],
    [{ on: 'delivery', malformed: true }, /malformed is for requests only/],
    [{ malformed: true, truncate: 1 }, /malformed cannot be combined with truncate/],
    [{ status, seed: 1 }, /seed needs a rate/],
    [{ status, rate: 0 }, /rate must be > 0/],
    [{ status, rate: 1.1 }, /rate must be at most 1/],
    [{ status, body: {} }, /body/],
    [{ status, body: { data: { number: '1' } } }, /body.data must be/],
    [{ status, body: { type: 'x'.repeat(1001) } }, /body.type must have at most 1000 characters/],
    [{ status, id: 'x'.repeat(401) }, /id must have at most 400 characters/],
    [{ on: 'formula', status: 429 }, /status does not apply to a formula/],
    [{ on: 'react', status: 429 }, /on must be one of request, delivery, formula/],
  ] as const)
    await t.rejects(dev.faults.next(fault as object), { status: 400, message }, JSON.stringify(fault))
  t.same(await dev.faults.list(), [])
  for (let added = 0; added < 1000; added++) await dev.faults.next({ status })
  await t.rejects(dev.faults.next({ status }), /1000 faults already/)
})

t.test('the client of a formula meets faults, too, and repeats its request', async t => {
  const { tenant, dev, count } = await openClients(t)
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const code = `module.exports = async ({ svc }) => ({ raw: (await svc.tokens.create({ type: 'token', data: 1 })).id })`
  const react = await reactorOn(tenant, code, { reactor: { application: { id: application } } })
  await dev.faults.next({ operation: 'tokens.create', drop: 'after' })
  const { status, json } = await react()
  t.equal(status, 200)
  t.equal((await dev.requests.list({ operation: 'tokens.create' })).length, 2)
  t.equal(await count(), 1)
  t.equal((await tenant.send('GET', `/tokens/${json.raw}`)).status, 200)
  await dev.faults.assertUsed()
})

t.test('a formula is busy as often as was ordered: 429 at once, later for a job', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const code = 'module.exports = async () => ({ raw: 1 })'
  const [react, other] = [await reactorOn(tenant, code), await reactorOn(tenant, code)]
  await dev.faults.next({ on: 'formula', reactor_id: react.id })
  t.equal((await other()).status, 200, 'another reactor')
  const busy = await react()
  t.same([busy.status, busy.headers.get('retry-after')], [429, '1'])
  t.equal((await react()).status, 200)
  await dev.faults.next({ on: 'formula', times: 2 })
  t.equal((await react({ callback_url: dev.inbox.url })).status, 202)
  for (let retry = 0; retry < 3; retry++) await vault.clock.advance(2000)
  t.same((await dev.inbox.next()).body, { raw: 1 })
  await dev.faults.assertUsed()
})
