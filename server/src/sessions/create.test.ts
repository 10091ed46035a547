import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { openSession } from './_fixture.ts'

const minute = 60_000
const vault = openVault(t)

t.test('a session is a key, a nonce and a time, three minutes from now', async t => {
  const tenant = await openTenant(vault)
  const before = await vault.clock.now()
  const { status, json } = await tenant.asPublic('POST', '/sessions')
  const after = await vault.clock.now()
  t.equal(status, 201)
  t.same(Object.keys(json).sort(), ['expires_at', 'nonce', 'session_key'])
  t.match(json.session_key, /^key_ses_[A-Za-z0-9_-]{64}$/)
  t.match(json.nonce, /^nonce_[A-Za-z0-9_-]{32}$/)
  const ends = Date.parse(json.expires_at)
  t.ok(ends >= Math.floor(before) + 3 * minute && ends <= after + 3 * minute, json.expires_at)
})

t.test('only a public application creates sessions', async t => {
  const tenant = await openTenant(vault)
  t.equal((await tenant.send('POST', '/sessions')).status, 403, 'private')
  t.equal((await tenant.asManagement('POST', '/sessions')).status, 403, 'management')
  t.equal((await tenant.as(undefined)('POST', '/sessions')).status, 401, 'nobody')
  const session = await openSession(tenant)
  t.equal((await session.authorize({ permissions: ['token:create'] })).status, 200)
  t.equal((await session.send('POST', '/sessions')).status, 403, 'a session makes no sessions')
  const other = await tenant.application({ permissions: ['token:update'] }, 'public')
  t.equal((await other('POST', '/sessions')).status, 201, 'control: no permission is asked')
})

t.test('there is no body, and one that is sent does not matter', async t => {
  const tenant = await openTenant(vault)
  for (const body of ['{}', '{"expires_at":"2099-01-01"}', 'no JSON', '']) {
    const reply = await tenant.asPublic('POST', '/sessions', { raw: body })
    t.equal(reply.status, 201, body)
  }
  for (const type of ['text/plain', 'application/json; charset=utf-16', 'application/merge-patch+json']) {
    const reply = await tenant.asPublic('POST', '/sessions', undefined, { 'Content-Type': type })
    t.equal(reply.status, 201, type)
  }
})

t.test('a request that is repeated makes one session', async t => {
  const tenant = await openTenant(vault)
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'the page was loaded' }
  const create = () => tenant.asPublic('POST', '/sessions', undefined, headers)
  const [first, ...others] = await Promise.all([create(), create(), create()])
  const kept = first.status === 201 ? first : others.find(({ status }) => status === 201)
  t.same((await create()).json, kept?.json, 'answered again')
  const log = await tenant.asManagement('GET', '/logs?entity_type=session')
  t.equal(log.json.pagination.total_items, 1)
})
