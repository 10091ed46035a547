import t, { type Test } from 'tap'
import { Dev } from '../../../sdk/src/dev/index.ts'
import { webhooks } from '../../../sdk/src/webhooks.ts'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { inboxOrigin } from './inbox.ts'

/** The longest first delay of a retry, and the longest second one. */
const minute = 60_000

async function open(t: Test) {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, 'module.exports = async req => ({ raw: req.args.n ?? 1 })')
  const invoke = async (n: number, path = '') => {
    const reply = await react({ args: { n }, callback_url: dev.inbox.url + path })
    t.equal(reply.status, 202)
    return reply.headers.get('svc-trace-id')
  }
  return { vault, tenant, dev, react, invoke }
}

t.test('a webhook to the inbox is received without a network, verified and parsed', async t => {
  const { vault, tenant, dev, react, invoke } = await open(t)
  t.equal(new URL(dev.inbox.url).origin, inboxOrigin)
  const trace = await invoke(7, 'orders')
  const webhook = await dev.inbox.next({ reactor: react.id })
  t.match(webhook, { reactor_id: react.id, trace_id: trace, body: { raw: 7 }, attempts: [{ status: 200 }] })
  t.equal(webhook.url, `${dev.inbox.url}orders`)
  t.equal(webhook.attempts.length, 1)
  const verified = await webhooks.verify(JSON.stringify(webhook.body), webhook.headers, tenant.webhookSecret)
  t.same(verified, { raw: 7 }, 'as a receiver verifies it')
  const other = await openTenant(vault)
  t.same(await vault.dev.forTenant(other).inbox.list(), [], 'of this tenant only')
  await invoke(8)
  const [seven, eight] = [await dev.inbox.list(), await dev.inbox.next()]
  t.same(seven.map(({ body }) => body).slice(0, 1), [{ raw: 7 }])
  t.same(eight.body, { raw: 8 }, 'each once')
  const unknown = { reactor: '00000000-0000-4000-8000-000000000000', timeout: 1 }
  t.match((await dev.inbox.next(unknown).catch(error => error)).message, /no webhook came; the inbox has 2/)
})

t.test('the inbox refuses as was ordered, and the delivery is repeated', async t => {
  const { vault, dev, invoke } = await open(t)
  await dev.inbox.respond(503, { times: 2 })
  await invoke(1)
  t.same(await dev.settled(), { later: 1 })
  t.match(
    (await dev.inbox.next({ timeout: 1 }).catch(error => error)).message,
    /has 1, of which it refused 1/,
  )
  await vault.clock.advance(minute)
  await vault.clock.advance(5 * minute)
  const { attempts } = await dev.inbox.next({ timeout: 0 })
  t.same(
    attempts.map(({ status }) => status),
    [503, 503, 200],
  )
  t.same(await dev.settled(), { later: 0 })
  await t.rejects(dev.inbox.respond(199), /status must be at least 200/)
  await t.rejects(dev.inbox.respond(500, { times: 1001 }), /times must be at most 1000/)
})

t.test('a webhook can come twice', async t => {
  const { dev, invoke } = await open(t)
  await invoke(3)
  const { id } = await dev.inbox.next()
  const replayed = await dev.inbox.replay(id)
  t.equal(replayed.attempts.length, 2)
  t.equal((await dev.inbox.list()).length, 1)
  await invoke(4)
  await dev.settled()
  t.same((await dev.inbox.next({ timeout: 0 })).body, { raw: 4 }, 'next returns each webhook once')
  await invoke(5)
  await dev.settled()
  const [, , { id: unseen } = { id: '' }] = await dev.inbox.list()
  await dev.inbox.replay(unseen)
  t.equal(
    (await dev.inbox.next({ timeout: 0 })).attempts.length,
    2,
    'control: one that it has not returned yet',
  )
  await t.rejects(dev.inbox.replay('msg_unknown'), /the inbox has no such webhook/)
})

t.test('a fault lets attempts of deliveries fail before they come to a receiver', async t => {
  const { vault, dev, invoke, react } = await open(t)
  await dev.faults.next({ on: 'delivery', reactor_id: react.id, drop: 'before' })
  await dev.faults.next({ on: 'delivery', status: 500 })
  await invoke(4)
  await dev.settled()
  await vault.clock.advance(minute)
  t.same(await dev.inbox.list(), [], 'two attempts have failed')
  await dev.faults.assertUsed()
  await vault.clock.advance(5 * minute)
  t.equal((await dev.inbox.next({ timeout: 0 })).attempts.length, 1)
})

t.test('only under --dev does the URL lead anywhere', async t => {
  const vault = openReactors(t, { dev: false })
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, 'module.exports = async () => ({ raw: 1 })')
  t.equal((await react({ callback_url: `${inboxOrigin}/` })).status, 202)
  await vault.clock.advance(0)
  await t.rejects(vault.dev.inbox.list(), /was the server started with --dev\?/)
})

t.test('other private addresses are refused as before', async t => {
  const { react } = await open(t)
  for (const callback_url of ['http://inbox.surrogate.invalid/', 'https://127.0.0.1/'])
    t.equal((await react({ callback_url })).status, 400, callback_url)
})

t.test('over the wire it is the same', async t => {
  const { vault, tenant, invoke } = await open(t)
  const { url } = await vault.listen()
  const dev = new Dev({ baseUrl: url, managementKey: tenant.managementKey })
  const waiting = dev.inbox.next()
  await invoke(5)
  t.same((await waiting).body, { raw: 5 })
  t.same(await dev.settled(), { later: 0 })
  await vault.settled()
})
