import t from 'tap'
import { webhooks as sdk } from '../../../sdk/src/index.ts'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver, type Received } from '../../verify/support/receiver.ts'
import { openTenant, type TestTenant } from '../../verify/support/vault.ts'
import { silentLog } from '../base/log.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Asynchronous invocations from end to end: asked for over HTTP, delivered over HTTP. */
const vault = openReactors(t, { allowPrivateCallbacks: true })

const tokenizing = `module.exports = async req => ({
  tokenize: { bare: req.args.secret, card: { type: 'card', data: { number: '4242424242424242' } } },
  raw: { length: req.args.secret.length },
})`

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects
async function told(tenant: TestTenant, delivery: Received | undefined): Promise<any> {
  if (!delivery) throw new Error('nothing was delivered')
  return sdk.verify(delivery.body, delivery.headers, tenant.webhookSecret)
}

t.test('private callback URLs are a 400 unless the operator allows them', async t => {
  const strict = openReactors(t)
  const tenant = await openTenant(strict)
  const react = await reactorOn(tenant, 'module.exports = async () => ({})')
  for (const callback_url of ['http://example.org/', 'https://127.0.0.1/', 'https://localhost/'])
    t.match(await react({ callback_url }), { status: 400, json: { errors: { callback_url: [String] } } })
  const open = await openTenant(vault)
  const there = await reactorOn(open, 'module.exports = async () => ({})')
  t.equal((await there({ callback_url: 'http://127.0.0.1:1/' })).status, 202, 'control')
})

t.test('with an idempotency key there is one job and one delivery, however often it is asked', async t => {
  const tenant = await openTenant(vault)
  const receiver = await openReceiver(t)
  const react = await reactorOn(tenant, tokenizing)
  const body = { args: { secret: 'abc' }, callback_url: receiver.origin }
  const key = { 'SVC-IDEMPOTENCY-KEY': 'once' }
  t.equal((await react(body, key)).status, 202)
  t.match(await react(body, key), { status: 202, text: '' })
  await vault.clock.advance(0)
  t.match(await react(body, key), { status: 202, text: '' })
  await vault.clock.advance(1000)
  t.equal(receiver.received.length, 1)
  t.equal((await react(body)).status, 202, 'control: without a key it is another one')
  await vault.clock.advance(0)
  t.equal(receiver.received.length, 2)
})

t.test('a session that is over when its job runs has a problem delivered', async t => {
  const tenant = await openTenant(vault)
  const receiver = await openReceiver(t)
  const react = await reactorOn(tenant, 'module.exports = async req => ({ raw: req.args })')
  const open = async () => {
    const { session_key, nonce } = (await tenant.asPublic('POST', '/sessions')).json
    const granted = { nonce, permissions: ['token:use'] }
    t.equal((await tenant.send('POST', '/sessions/authorize', granted)).status, 200)
    const body = { args: { a: 1 }, callback_url: receiver.origin }
    t.equal((await tenant.as(session_key)('POST', react.path, body)).status, 202)
  }
  await open()
  await vault.clock.advance(0)
  t.same(await told(tenant, receiver.received.at(-1)), { raw: { a: 1 } })

  // A callback that is accepted while nothing is run: the queue of its tenant is full for longer than the session.
  let room = false
  const busy: Sandbox = {
    run: async () => (room ? { kind: 'answered', raw: 'ran' } : { kind: 'busy' }),
    close: async () => {},
  }
  const later = openReactors(t, { allowPrivateCallbacks: true }, { sandbox: busy })
  const other = await openTenant(later)
  const slow = await reactorOn(other, 'module.exports = async () => ({})')
  const { session_key, nonce } = (await other.asPublic('POST', '/sessions')).json
  await other.send('POST', '/sessions/authorize', { nonce, permissions: ['token:use'] })
  const body = { callback_url: receiver.origin }
  t.equal((await other.as(session_key)('POST', slow.path, body)).status, 202)
  t.equal((await slow(body)).status, 202, 'control: the same by an application')
  await later.clock.advance(0)
  t.equal(receiver.received.length, 1)
  await later.clock.advance(4 * 60 * 1000)
  room = true
  await later.clock.advance(4 * 60 * 1000)
  const outcomes = await Promise.all(receiver.received.slice(1).map(delivery => told(other, delivery)))
  const found = outcomes.sort((a, b) => String(a.raw).localeCompare(String(b.raw)))
  t.match(found, [{ raw: 'ran' }, { status: 401 }])
})

t.test('a delivery that nobody takes is in the log of the tenant', async t => {
  const own = openReactors(t, { allowPrivateCallbacks: true, log: silentLog })
  const tenant = await openTenant(own)
  const receiver = await openReceiver(t, () => 500)
  const react = await reactorOn(tenant, 'module.exports = async () => ({})')
  t.equal((await react({ callback_url: receiver.origin })).status, 202)
  await own.clock.advance(0)
  const entries = async () =>
    (await tenant.asManagement('GET', `/logs?entity_type=reactor&entity_id=${react.id}`)).json.data.filter(
      ({ operation }: { operation: string }) => operation === 'webhook:deliver',
    )
  for (let retry = 1; retry <= 10; retry++) {
    t.same(await entries(), [])
    await own.clock.advance(2 * 60 * 60 * 1000)
  }
  t.equal(receiver.received.length, 11)
  t.match(await entries(), [{ entity_id: react.id, actor_type: 'system', outcome: 'failed' }])
})
