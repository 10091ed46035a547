import t from 'tap'
import { echo, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'

const hour = 3_600_000
const start = Date.UTC(2030, 0, 1)
const now = () => start
const card = { id: 'a-card', type: 'card', data: { number: '4242424242424242', cvc: '123' } }
const expiring = { ...card, expires_at: '2030-01-01T02:00:00Z' }

t.test('the clock of a tenant expires its tokens and no others', async t => {
  const vault = openVault(t, { now })
  const moved = await openTenant(vault)
  const other = await openTenant(vault)
  for (const tenant of [moved, other]) await tenant.send('POST', '/tokens', expiring)
  const { tenantClock } = vault.dev.forTenant(moved)
  t.equal((await tenantClock.now()).getTime(), start)

  t.equal((await tenantClock.advance('1h')).getTime(), start + hour)
  t.notOk((await moved.send('GET', '/tokens/a-card')).json.data.cvc, 'the code is over')
  t.ok((await other.send('GET', '/tokens/a-card')).json.data.cvc)
  t.equal((await tenantClock.advance(hour - 1)).getTime(), start + 2 * hour - 1)
  t.equal((await moved.send('GET', '/tokens/a-card')).status, 200)
  await tenantClock.set(new Date(start + 2 * hour))
  t.equal((await moved.send('GET', '/tokens/a-card')).status, 404)
  t.equal((await moved.send('GET', '/tokens')).json.pagination.total_items, 0)
  t.equal((await other.send('GET', '/tokens/a-card')).status, 200)
  t.equal(await vault.clock.now(), start, 'nor is the clock of the vault moved')

  const made = await moved.send('POST', '/tokens', { type: 'token', data: 1 })
  t.match(made.json.created_at, /^2030-01-01T02:00:00/)
  const past = await moved.send('POST', '/tokens', { ...expiring, id: 'late' })
  t.equal(past.status, 400, 'the time is in the past of this tenant')
  t.equal((await other.send('POST', '/tokens', { ...expiring, id: 'late' })).status, 201)
})

t.test('what is over is swept, audited and erased in the time of its tenant', async t => {
  const vault = openVault(t, { now, auditRetentionDays: 1 })
  const moved = await openTenant(vault)
  const other = await openTenant(vault)
  for (const tenant of [moved, other]) await tenant.send('POST', '/tokens', expiring)
  const { tenantClock } = vault.dev.forTenant(moved)
  await tenantClock.advance('3h')
  const entries = async (tenant: typeof moved) =>
    (await tenant.asManagement('GET', '/logs?size=100')).json.data as {
      operation: string
      created_at: string
    }[]
  const [expiry] = (await entries(moved)).filter(({ operation }) => operation === 'token:expire')
  t.match(expiry?.created_at, /^2030-01-01T03:00:00/)
  t.notOk((await entries(other)).some(({ operation }) => operation === 'token:expire'))
  const kept = (await entries(other)).length
  await tenantClock.advance('2d')
  t.same(await entries(moved), [], 'entries older than the retention are erased')
  t.equal((await entries(other)).length, kept)
})

t.test('keys and sessions end in the time of their tenant', async t => {
  const vault = openVault(t, { now })
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  const { apiKey } = await dev.application({
    permissions: ['token:read'],
    expires_at: '2030-01-01T01:00:00Z',
  })
  const { json: session } = await tenant.asPublic('POST', '/sessions')
  await tenant.send('POST', '/sessions/authorize', { nonce: session.nonce, permissions: ['token:create'] })
  const create = () => tenant.as(session.session_key)('POST', '/tokens', { type: 'token', data: 1 })
  t.equal((await create()).status, 201)
  t.equal((await tenant.as(apiKey)('GET', '/tokens')).status, 200)
  await dev.tenantClock.advance('1h')
  t.equal((await tenant.as(apiKey)('GET', '/tokens')).status, 401)
  await dev.tenantClock.advance('1d')
  t.equal((await create()).status, 401)
})

t.test('retries of webhooks follow the clock of their tenant', async t => {
  let refuses = true
  const receiver = await openReceiver(t, () => (refuses ? 503 : 200))
  const vault = openVault(t, { now, allowPrivateCallbacks: true })
  const moved = await openTenant(vault)
  const other = await openTenant(vault)
  for (const [name, tenant] of [
    ['moved', moved],
    ['other', other],
  ] as const) {
    const react = await reactorOn(tenant, echo)
    t.equal((await react({ args: {}, callback_url: `${receiver.origin}/${name}` })).status, 202)
  }
  await vault.clock.advance(0)
  const attempts = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`).length
  await receiver.arrived(2)
  await vault.clock.advance(0)
  t.same([attempts('moved'), attempts('other')], [1, 1])
  const { tenantClock } = vault.dev.forTenant(moved)
  await tenantClock.advance('10m')
  t.equal(attempts('other'), 1)
  const since = attempts('moved')
  t.ok(since > 1, 'its own is tried again')
  await tenantClock.advance(0)
  t.equal(attempts('moved'), since, 'and not again before it is due')
  refuses = false
  await tenantClock.advance('1d')
  t.equal(attempts('other'), 1)
  t.equal(attempts('moved'), since + 1)
})

t.test('a job for which no process was free runs by the clock of its tenant', async t => {
  const vault = openVault(t, { now, storage: 'memory:' })
  const moved = await openTenant(vault)
  const dev = vault.dev.forTenant(moved)
  const react = await reactorOn(moved, echo)
  const other = await openTenant(vault)
  const otherReact = await reactorOn(other, echo)
  const begin = await dev.snapshot()
  for (const tenant of [moved, other]) await vault.dev.forTenant(tenant).faults.next({ on: 'formula' })
  await react({ args: {}, callback_url: dev.inbox.url })
  await otherReact({ args: {}, callback_url: dev.inbox.url })
  await vault.settled()
  await dev.faults.assertUsed()
  await dev.tenantClock.advance(1999)
  t.equal((await dev.inbox.list()).length, 0, 'control: not before it is due')
  await dev.tenantClock.advance(1)
  t.equal((await dev.inbox.list()).length, 1)
  t.same(await vault.dev.forTenant(other).inbox.list(), [], 'by its own clock only')

  // A tenant that is put back does not wait for the time at which it was busy.
  await dev.tenantClock.advance('1h')
  await dev.faults.next({ on: 'formula' })
  await react({ args: {}, callback_url: dev.inbox.url })
  await vault.settled()
  await dev.restore(begin)
  await react({ args: {}, callback_url: dev.inbox.url })
  await vault.settled()
  t.equal((await dev.inbox.list()).length, 2)
})

t.test('a reset puts the clocks back, and a restart does not', async t => {
  const storage = `level:${t.testdir({})}`
  const first = openVault(t, { now, storage, dev: true })
  const { development } = await first.ready()
  if (!development) throw new Error('no development tenant')
  await first.dev.forTenant(development).tenantClock.advance('1h')
  await first.close()
  const second = openVault(t, { now, storage, dev: true })
  const { tenantClock } = second.dev.forTenant(development)
  t.equal((await tenantClock.now()).getTime(), start + hour)
  await second.reset()
  t.equal((await tenantClock.now()).getTime(), start)
})

t.test('bad moves are refused by name, and change nothing', async t => {
  const vault = openVault(t, { now })
  const tenant = await openTenant(vault)
  const { tenantClock } = vault.dev.forTenant(tenant)
  await t.rejects(tenantClock.set('2029-12-31T23:59:59Z'), { status: 400, message: /now must not be before/ })
  await t.rejects(tenantClock.set('2200-01-01T00:00:00Z'), {
    status: 400,
    message: /now must be at most a century/,
  })
  await t.rejects(tenantClock.set('soon'), { status: 400, message: /now/ })
  await t.rejects(tenantClock.advance(-1), { status: 400, message: /advance_ms/ })
  await t.rejects(tenantClock.advance('1 hour'), { message: /a duration is/ })
  const post = (body: object, key?: string) => tenant.as(key)('POST', '/_dev/tenant/clock', body as never)
  t.equal((await post({ advance_ms: 1 })).status, 401, 'without a key')
  t.equal((await post({ advance_ms: 1 }, tenant.privateKey)).status, 403, 'with another key')
  const both = { advance_ms: 1, now: '2030-01-01T01:00:00Z' }
  t.equal((await post(both, tenant.managementKey)).status, 400)
  const unknown = await post({ advance: 1 }, tenant.managementKey)
  t.match(unknown, { status: 400, json: { errors: { advance: [/.+/] } } })
  t.equal((await tenantClock.now()).getTime(), start)
})
