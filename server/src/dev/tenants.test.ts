import t from 'tap'
import { Surrogate } from '../../../sdk/src/index.ts'
import { echo, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { devsOf, number, openDev } from './_dev.ts'

const hour = 3_600_000
const start = Date.UTC(2030, 0, 1)
const now = () => start
const card = { id: 'a-card', type: 'card', data: { number, cvc: '123' } }
const expiring = { ...card, expires_at: '2030-01-01T02:00:00Z' }

t.test('a limited client takes one line, in process and over the wire', async t => {
  const { vault, tenant: first } = await openDev(t)
  for (const [where, dev] of await devsOf(vault, first)) {
    const tenant = await dev.createTenant()
    const clientOf = async (rights?: object) => new Surrogate(await tenant.application(rights))
    const whole = await clientOf()
    await whole.tokens.create({ id: 'inside', type: 'token', data: 1, containers: ['/a/'] })
    await whole.tokens.create({ id: 'outside', type: 'token', data: 2, containers: ['/b/'] })
    t.equal((await whole.tokens.get('inside')).data, 1, `${where}: a new private application reveals`)

    const rule = { priority: 1, container: '/a/', transform: 'redact', permissions: ['token:read'] }
    const limited = await clientOf({ rules: [rule] })
    t.notOk('data' in (await limited.tokens.get('inside')))
    await t.rejects(limited.tokens.get('outside'), { message: /./, status: 403 })

    const reader = await clientOf({ permissions: ['token:read'] })
    t.equal((await reader.tokens.get('outside')).id, 'outside')
    await t.rejects(reader.tokens.delete('outside'), { message: /./, status: 403 })

    const page = await clientOf({ type: 'public' })
    t.ok((await page.tokens.create({ type: 'token', data: 3 })).id)
    await t.rejects(page.tokens.get('inside'), { message: /./, status: 403 })
    for (const [rights, message] of [
      [{ type: 'public', permissions: ['token:read'] }, /permissions/],
      [{ type: 'secret' }, /type/],
      [{ permission: ['token:read'] }, /permission/],
      [{ rules: [{ ...rule, transform: 'show' }] }, /transform/],
    ] as const)
      await t.rejects(tenant.application(rights as object), { status: 400, message })
  }
})

t.test('applications are listed with the keys that the server knows, each tenant its own', async t => {
  const { vault, tenant } = await openDev(t)
  await openTenant(vault)
  const { id, key } = await tenant.application({ name: 'Shop' }, 'public')
  const { status, json } = await tenant.asManagement('GET', '/_dev/applications')
  t.equal(status, 200)
  t.match(json.data[0], { id, name: 'Shop', type: 'public', key: /^key_pub_/ })
  const keys = [key, tenant.publicKey, tenant.privateKey, tenant.managementKey]
  t.same(json.data.map((one: { key: string }) => one.key).sort(), keys.sort())
  t.equal((await tenant.send('GET', '/_dev/applications')).status, 403, 'not with a private key')
})

t.test('sessions are listed without their keys, and ended by hand', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const { sessions } = dev
  const other = vault.dev.forTenant(await openTenant(vault)).sessions
  const made = (await tenant.asPublic('POST', '/sessions')).json
  const plain = (await tenant.asPublic('POST', '/sessions')).json
  const grant = { nonce: made.nonce, permissions: ['token:create'] }
  t.equal((await tenant.send('POST', '/sessions/authorize', grant)).status, 200)
  const list = await sessions.list()
  t.equal(list.length, 2)
  const authorized = list.find(one => one.authorizer_id)
  t.match(authorized, { permissions: ['token:create'], rules: 0, expires_at: made.expires_at })
  for (const { session_key, nonce } of [made, plain])
    t.notMatch(JSON.stringify(list), new RegExp(`${session_key}|${nonce}`))
  t.same(await other.list(), [])

  const use = async () =>
    (await tenant.as(made.session_key)('POST', '/tokens', { type: 'token', data: 1 })).status
  const { id = '' } = authorized ?? {}
  const gone = { name: 'DevError', status: 404 }
  t.equal(await use(), 201)
  await t.rejects(other.end(id), gone, 'of another tenant')
  t.equal(await use(), 201)
  await sessions.end(id)
  t.equal(await use(), 401)
  await t.rejects(sessions.end(id), gone)
  t.equal((await sessions.list()).length, 1)
  await dev.tenantClock.advance('1d')
  t.same(await sessions.list(), [], 'expired')
})

t.test('the clock of a tenant expires its tokens and no others', async t => {
  const { vault, tenant: moved, dev } = await openDev(t, { now })
  const other = await openTenant(vault)
  for (const tenant of [moved, other]) await tenant.send('POST', '/tokens', expiring)
  const { tenantClock } = dev
  const get = (of = moved) => of.send('GET', '/tokens/a-card')
  t.equal((await tenantClock.now()).getTime(), start)
  t.equal((await tenantClock.advance('1h')).getTime(), start + hour)
  t.notOk((await get()).json.data.cvc, 'the code is over')
  t.ok((await get(other)).json.data.cvc)
  t.equal((await tenantClock.advance(hour - 1)).getTime(), start + 2 * hour - 1)
  t.equal((await get()).status, 200)
  await tenantClock.set(new Date(start + 2 * hour))
  t.equal((await get()).status, 404)
  t.equal((await moved.send('GET', '/tokens')).json.pagination.total_items, 0)
  t.equal((await get(other)).status, 200)
  t.equal(await vault.clock.now(), start, 'nor is the clock of the vault moved')

  const made = await moved.send('POST', '/tokens', { type: 'token', data: 1 })
  t.match(made.json.created_at, /^2030-01-01T02:00:00/)
  const late = { ...expiring, id: 'late' }
  t.equal((await moved.send('POST', '/tokens', late)).status, 400, 'the time is in the past of this tenant')
  t.equal((await other.send('POST', '/tokens', late)).status, 201)
})

t.test('what is over is swept, audited and erased in the time of its tenant', async t => {
  const { vault, tenant: moved, dev } = await openDev(t, { now, auditRetentionDays: 1 })
  const other = await openTenant(vault)
  for (const tenant of [moved, other]) await tenant.send('POST', '/tokens', expiring)
  await dev.tenantClock.advance('3h')
  const entries = async ({ asManagement } = moved): Promise<{ operation: string; created_at: string }[]> =>
    (await asManagement('GET', '/logs?size=100')).json.data
  const isExpiry = ({ operation }: { operation: string }) => operation === 'token:expire'
  t.match((await entries()).find(isExpiry)?.created_at, /^2030-01-01T03:00:00/)
  t.notOk((await entries(other)).some(isExpiry))
  const kept = (await entries(other)).length
  await dev.tenantClock.advance('2d')
  t.same(await entries(), [], 'entries older than the retention are erased')
  t.equal((await entries(other)).length, kept)
})

t.test('keys and sessions end in the time of their tenant', async t => {
  const { tenant, dev } = await openDev(t, { now })
  const rights = { permissions: ['token:read' as const], expires_at: '2030-01-01T01:00:00Z' }
  const { apiKey } = await dev.application(rights)
  const { json: session } = await tenant.asPublic('POST', '/sessions')
  await tenant.send('POST', '/sessions/authorize', { nonce: session.nonce, permissions: ['token:create'] })
  const create = async () =>
    (await tenant.as(session.session_key)('POST', '/tokens', { type: 'token', data: 1 })).status
  const list = async () => (await tenant.as(apiKey)('GET', '/tokens')).status
  t.same([await create(), await list()], [201, 200])
  await dev.tenantClock.advance('1h')
  t.equal(await list(), 401)
  await dev.tenantClock.advance('1d')
  t.equal(await create(), 401)
})

t.test('retries of webhooks follow the clock of their tenant', async t => {
  let refuses = true
  const receiver = await openReceiver(t, () => (refuses ? 503 : 200))
  const { vault, tenant: moved, dev } = await openDev(t, { now, allowPrivateCallbacks: true })
  for (const [name, tenant] of Object.entries({ moved, other: await openTenant(vault) })) {
    const react = await reactorOn(tenant, echo)
    t.equal((await react({ args: {}, callback_url: `${receiver.origin}/${name}` })).status, 202)
  }
  const attempts = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`).length
  await vault.clock.advance(0)
  await receiver.arrived(2)
  await vault.clock.advance(0)
  t.same([attempts('moved'), attempts('other')], [1, 1])
  await dev.tenantClock.advance('10m')
  const since = attempts('moved')
  t.ok(since > 1, 'its own is tried again')
  await dev.tenantClock.advance(0)
  t.equal(attempts('moved'), since, 'and not again before it is due')
  refuses = false
  await dev.tenantClock.advance('1d')
  t.same([attempts('moved'), attempts('other')], [since + 1, 1])
})

t.test('a job for which no process was free runs by the clock of its tenant', async t => {
  const { vault, tenant: moved, dev } = await openDev(t, { now, storage: 'memory:' })
  const other = await openTenant(vault)
  const react = await reactorOn(moved, echo)
  const begin = await dev.snapshot()
  const otherReact = await reactorOn(other, echo)
  const job = { args: {}, callback_url: dev.inbox.url }
  for (const tenant of [moved, other]) await vault.dev.forTenant(tenant).faults.next({ on: 'formula' })
  await react(job)
  await otherReact(job)
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
  await react(job)
  await vault.settled()
  await dev.restore(begin)
  await react(job)
  await vault.settled()
  t.equal((await dev.inbox.list()).length, 2)
})

t.test('bad moves are refused by name, and change nothing', async t => {
  const { tenant, dev } = await openDev(t, { now })
  const { tenantClock } = dev
  const refused = (message: RegExp) => ({ status: 400, message })
  await t.rejects(tenantClock.set('2029-12-31T23:59:59Z'), refused(/now must not be before/))
  await t.rejects(tenantClock.set('2200-01-01T00:00:00Z'), refused(/now must be at most a century/))
  await t.rejects(tenantClock.set('soon'), refused(/now/))
  await t.rejects(tenantClock.advance(-1), refused(/advance_ms/))
  await t.rejects(tenantClock.advance('1 hour'), { message: /a duration is/ })
  const post = (body: object, key?: string) => tenant.as(key)('POST', '/_dev/tenant/clock', body as never)
  t.equal((await post({ advance_ms: 1 })).status, 401, 'without a key')
  t.equal((await post({ advance_ms: 1 }, tenant.privateKey)).status, 403, 'with another key')
  for (const body of [{ advance_ms: 1, now: '2030-01-01T01:00:00Z' }, { advance: 1 }])
    t.equal((await post(body, tenant.managementKey)).status, 400)
  t.equal((await tenantClock.now()).getTime(), start)
})
