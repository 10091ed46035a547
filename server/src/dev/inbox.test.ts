import t, { type Test } from 'tap'
import { webhooks } from '../../../sdk/src/webhooks.ts'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { devsOf, openDev } from './_dev.ts'
import { inboxOrigin } from './inbox.ts'

/** The longest first delay of a retry, and the longest second one. */
const minute = 60_000

async function open(t: Test) {
  const { vault, tenant, dev } = await openDev(t)
  const react = await reactorOn(tenant, 'module.exports = async req => ({ raw: req.args.n ?? 1 })')
  const invoke = async (n: number, path = '') => {
    const reply = await react({ args: { n }, callback_url: dev.inbox.url + path })
    t.equal(reply.status, 202)
    return reply.headers.get('svc-trace-id')
  }
  return { vault, tenant, dev, react, invoke }
}

t.test('a webhook to the inbox is received without a network, verified and parsed', async t => {
  const { vault, tenant, react, invoke } = await open(t)
  for (const [at, [where, dev]] of (await devsOf(vault, tenant)).entries()) {
    t.equal(new URL(dev.inbox.url).origin, inboxOrigin)
    const waiting = dev.inbox.next({ reactor: react.id })
    const trace = await invoke(7 + at, 'orders')
    const webhook = await waiting
    t.match(webhook, { reactor_id: react.id, trace_id: trace, body: { raw: 7 + at } }, where)
    t.same([webhook.url, webhook.attempts.length], [`${dev.inbox.url}orders`, 1])
    t.equal(webhook.attempts[0]?.status, 200)
    const text = JSON.stringify(webhook.body)
    const verified = await webhooks.verify(text, webhook.headers, tenant.webhookSecret)
    t.same(verified, { raw: 7 + at }, 'as a receiver verifies it')
    t.same(await dev.settled(), { later: 0 })
  }
  const { inbox } = vault.dev.forTenant(tenant)
  const other = await openTenant(vault)
  t.same(await vault.dev.forTenant(other).inbox.list(), [], 'of this tenant only')
  const unknown = { reactor: '00000000-0000-4000-8000-000000000000', timeout: 1 }
  await t.rejects(inbox.next(unknown), /no webhook came; the inbox has 2/)
  for (const callback_url of ['http://inbox.surrogate.invalid/', 'https://127.0.0.1/'])
    t.equal((await react({ callback_url })).status, 400, callback_url)
})

t.test('the inbox refuses as was ordered, and the delivery is repeated', async t => {
  const { vault, dev, invoke } = await open(t)
  for (const _ of [1, 2]) await dev.inbox.respond(503)
  await invoke(1)
  t.same(await dev.settled(), { later: 1 })
  await t.rejects(dev.inbox.next({ timeout: 1 }), /has 1, of which it refused 1/)
  await vault.clock.advance(minute)
  await vault.clock.advance(5 * minute)
  const { attempts } = await dev.inbox.next({ timeout: 0 })
  t.match(attempts, [{ status: 503 }, { status: 503 }, { status: 200 }])
  t.equal(attempts.length, 3)
  t.same(await dev.settled(), { later: 0 })
  await t.rejects(dev.inbox.respond(199), /status must be at least 200/)
  await t.rejects(dev.inbox.respond(500, { times: 1001 }), /times must be at most 1000/)
})

t.test('a webhook can come twice', async t => {
  const { dev, invoke } = await open(t)
  const { inbox } = dev
  await invoke(3)
  const { id } = await inbox.next()
  t.equal((await inbox.replay(id)).attempts.length, 2)
  t.equal((await inbox.list()).length, 1)
  await invoke(4)
  await dev.settled()
  t.same((await inbox.next({ timeout: 0 })).body, { raw: 4 }, 'next returns each webhook once')
  await invoke(5)
  await dev.settled()
  await inbox.replay((await inbox.list())[2]?.id ?? '')
  const { attempts } = await inbox.next({ timeout: 0 })
  t.equal(attempts.length, 2, 'control: one that it has not returned yet')
  await t.rejects(inbox.replay('msg_unknown'), /the inbox has no such webhook/)
})

t.test('a fault of a delivery and a reply of the inbox are attempts alike', async t => {
  const { vault, dev, invoke, react } = await open(t)
  await dev.faults.next({ on: 'delivery', reactor_id: react.id, drop: 'before' })
  await dev.faults.next({ on: 'delivery', status: 500 })
  await invoke(4)
  await dev.settled()
  await vault.clock.advance(minute)
  const statuses = async () =>
    (await dev.inbox.list()).map(({ attempts }) => attempts.map(({ status = 'none' }) => status))
  t.same(await statuses(), [['none', 500]], 'the first connection was closed')
  await t.rejects(dev.inbox.next({ timeout: 0 }), /has 1, of which it refused 1/)
  await dev.faults.assertUsed()
  await vault.clock.advance(5 * minute)
  t.equal((await dev.inbox.next({ timeout: 0 })).attempts.length, 3)
  for (const order of [
    () => dev.faults.next({ on: 'delivery', status: 503 }),
    () => dev.inbox.respond(503),
    () => dev.egress.respond(dev.inbox.url, { status: 503 }, { times: 1 }),
  ]) {
    await order()
    await invoke(5)
    await dev.settled()
    await vault.clock.advance(minute)
    t.same((await statuses()).at(-1), [503, 200])
  }
})

t.test('only under --dev does the URL lead anywhere', async t => {
  const { vault, tenant, dev } = await openDev(t, { dev: false })
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  t.equal((await react({ callback_url: `${inboxOrigin}/` })).status, 202)
  await vault.clock.advance(0)
  await t.rejects(dev.inbox.list(), /was the server started with --dev\?/)
})
