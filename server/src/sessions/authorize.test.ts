import t, { type Test } from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'
import { openSession } from './_fixture.ts'

const vault = openVault(t)
const hour = 3_600_000

const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] }
const rules = (...given: object[]) => ({ rules: given.map(one => ({ ...rule, ...one })) as JsonObject[] })
const read = { permissions: ['token:read'] }

t.test('a key and a nonce are too long to be guessed', async t => {
  const { asPublic } = await openTenant(vault)
  const { json } = await asPublic('POST', '/sessions')
  t.match(json.session_key, /^key_ses_[A-Za-z0-9_-]{64}$/)
  t.match(json.nonce, /^nonce_[A-Za-z0-9_-]{32}$/)
})

t.test('what the authorizer holds in one place only can be granted', async t => {
  const tenant = await openTenant(vault)
  const session = await openSession(tenant)
  const own = await tenant.application(rules({ container: '/a/' }))
  t.equal((await session.authorize(read, own)).status, 200)
})

async function expectEnd(
  t: Test,
  tenant: TestTenant,
  expires_at: string | null | undefined,
  livesMs: number,
) {
  const session = await openSession(tenant)
  const { status } = await session.authorize(expires_at === undefined ? read : { ...read, expires_at })
  t.equal(status, 200)
  return async (own: typeof vault) => {
    await own.clock.advance(livesMs - 1)
    t.equal((await session.send('GET', '/tokens')).status, 200, `${expires_at}: just before`)
    await own.clock.advance(1)
    const over = await session.send('GET', '/tokens')
    t.equal(over.status, 401, `${expires_at}: at its end`)
    t.equal(over.json.detail, 'the session is over, or its key is unknown; create another session')
  }
}

for (const [expires_at, livesMs] of [
  [undefined, 180_000],
  [null, 180_000],
  ['2030-01-01T00:00:01Z', 1000],
  ['2030-01-01T00:03:01Z', 181_000],
  ['2030-01-01T05:00:00+05:00', undefined],
  ['2030-01-02T00:00:00Z', 24 * hour],
  ['2030-01-02', 24 * hour],
  ['2030-01-02T01:00:00+01:00', 24 * hour],
  ['2030-01-02T00:00:00.001Z', undefined],
] as const) {
  t.test(`authorized to ${expires_at}, a session ends then`, async t => {
    const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
    const tenant = await openTenant(own)
    if (livesMs !== undefined) return (await expectEnd(t, tenant, expires_at, livesMs))(own)
    const session = await openSession(tenant)
    t.equal((await session.authorize({ ...read, expires_at })).status, 400)
  })
}

t.test('a nonce is over with its session', async t => {
  const own = openVault(t, { now: () => Date.UTC(2030, 0, 1) })
  const tenant = await openTenant(own)
  const [late, inTime] = [await openSession(tenant), await openSession(tenant)]
  await own.clock.advance(180_000 - 1)
  t.equal((await inTime.authorize({ ...read, expires_at: '2030-01-01T01:00:00Z' })).status, 200)
  await own.clock.advance(1)
  t.equal((await late.authorize(read)).status, 404)
  t.equal((await late.send('GET', '/tokens')).status, 401, 'and its key, which never did anything')
  const reply = await inTime.send('GET', '/tokens')
  t.equal(reply.status, 200, 'a longer life begins before the end of the short')
  t.equal((await inTime.authorize(read)).status, 409)
})
