import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { DevEvent } from '../generated/dev-client/index.ts'
import { devsOf, openDev } from './_dev.ts'
import { EventStream, Events } from './events.ts'

type Fetching = { fetch(url: string, init: RequestInit): Promise<Response> }

/** Opens a stream over the wire or in process. */
async function open({ fetch }: Fetching, key: string) {
  const response = await fetch('http://vault/_dev/events', { headers: { 'SVC-API-KEY': key } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    response,
    cancel: () => reader?.cancel(),
    /** Reads until the text of the stream matches; at its end, all of it. */
    until: async (pattern?: RegExp) => {
      while (!pattern?.test(text)) {
        const { done, value = '' } = (await reader?.read()) ?? { done: true }
        if (done) break
        text += value
      }
      return text
    },
  }
}

/** Sends what is meant for the vault to a port. */
const overWire = (url: string): Fetching => ({
  fetch: (input, init) => fetch(input.replace('http://vault', url), init),
})

const eventsIn = (text: string) =>
  [...text.matchAll(/^event: (\w+)\ndata: (.*)\n$/gm)].map(([, name, data = '']) => ({
    name,
    data: JSON.parse(data),
  }))

const request = /event: request\n.*\n\n/

t.test('requests, webhooks and printed lines are sent as they come, each to its own tenant', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const other = await openTenant(vault)
  const [own, others] = [await open(vault, tenant.managementKey), await open(vault, other.managementKey)]
  t.equal(own.response.status, 200)
  t.match(own.response.headers.get('content-type'), /^text\/event-stream/)
  t.equal(own.response.headers.get('cache-control'), 'no-store')
  const trace = 'a trace with "quotes"'
  await tenant.send('POST', '/tokens', { type: 'token', data: 'hidden\nevent: x' }, { 'SVC-TRACE-ID': trace })
  t.match(eventsIn(await own.until(request)), [{ data: { operation: 'tokens.create', trace_id: trace } }])
  const code = 'module.exports = async () => { console.warn("a\\nline"); return { raw: { n: 1 } } }'
  const reactor = await reactorOn(tenant, code)
  await reactor({ args: {}, callback_url: dev.inbox.url })
  const text = await own.until(/event: webhook\n.*\n\n/)
  const of = (name: string) => eventsIn(text).find(one => one.name === name)?.data
  t.match(of('console'), { reactor_id: reactor.id, level: 'warn', text: 'a\nline' })
  t.match(of('webhook'), { reactor_id: reactor.id, attempts: [{ status: 200 }] })
  t.notMatch(text, /hidden/)
  await other.asPublic('GET', '/tokens')
  const explanation = { permission: 'token:read', rules: [{ matches: false, reason: /token:read/ }] }
  const seen = eventsIn(await others.until(request))
  t.match(seen, [{ data: { operation: 'tokens.list', status: 403, explanation } }], 'with its explanation')
  t.equal(seen.length, 1)
})

t.test('streams need a management key that may read reactors', async t => {
  const { vault, tenant } = await openDev(t)
  const limited = await tenant.application({ permissions: ['application:read'] }, 'management')
  const allowed = await tenant.application({ permissions: ['reactor:read'] }, 'management')
  t.equal((await limited('GET', '/_dev/events')).status, 403)
  t.equal((await open(vault, allowed.key)).response.status, 200)
  t.equal((await tenant.send('GET', '/_dev/events')).status, 403, 'a private key')
  t.equal((await tenant.as(undefined)('GET', '/_dev/events')).status, 401)
})

t.test('of 1,000 streams ten are open, and the next can be when one is closed', async t => {
  const { vault, tenant } = await openDev(t)
  const { url } = await vault.listen()
  const first = await open(overWire(url), tenant.managementKey)
  const opened = await Promise.all(Array.from({ length: 999 }, () => open(vault, tenant.managementKey)))
  const refused = opened.filter(({ response }) => response.status === 429)
  t.equal(refused.length, 990)
  t.match(await refused[0]?.until(), /"urn:surrogate:error:rate_limited"/)
  t.equal(refused[0]?.response.headers.get('retry-after'), '1')
  const other = await openTenant(vault)
  t.equal((await open(vault, other.managementKey)).response.status, 200, 'another tenant has its own')
  await first.cancel()
  // The connection of the first one closes when the server notices.
  while ((await open(vault, tenant.managementKey)).response.status === 429)
    await new Promise(resolve => setImmediate(resolve))
})

t.test('closing and reset end streams, and wait for none of them', async t => {
  const { vault, tenant } = await openDev(t)
  const { url } = await vault.listen()
  const before = await open(vault, tenant.managementKey)
  await vault.reset()
  await before.until()
  const { managementKey } = await openTenant(vault)
  const streams = [await open(vault, managementKey), await open(overWire(url), managementKey)]
  await vault.close()
  await Promise.all(streams.map(stream => stream.until()))
  t.pass('all have ended')
})

t.test('what is not read in time is dropped and counted', async t => {
  const stream = new EventStream(
    () => {},
    () => 0,
  )
  for (let number = 0; number < 1_000_000; number++) stream.push('event: x\ndata: {}\n\n')
  const shown = eventsIn((await stream.next()).value ?? '')
  const dropped = shown.find(({ name }) => name === 'dropped')?.data.count
  const kept = shown.filter(({ name }) => name === 'x').length
  t.ok(kept <= 1000, `${kept} kept`)
  t.equal(kept + dropped, 1_000_001, 'all are accounted for, with the comment at the start')
  for (let number = 0; number < 10; number++) stream.push(`data: ${'x'.repeat(100_000)}\n\n`)
  t.ok(((await stream.next()).value ?? '').length <= 500_100)
})

t.test('an old stream ends, also if nobody reads it, and the room it took is free', async t => {
  let nowMs = 0
  const events = new Events(() => nowMs)
  const streams = Array.from({ length: 10 }, () => events.open('a'))
  for (nowMs of [0, 299_999]) t.throws(() => events.open('a'), { code: 'rate_limited' })
  nowMs = 300_000
  const next = events.open('a')
  t.same(await streams[0]?.next(), { done: true, value: undefined })
  t.match(await next.next(), { done: false })
  const pending = next.next()
  nowMs = 600_000
  events.publish('a', 'console', { reactor_id: 'r', at: '', level: 'log', text: 'x' })
  t.same(await pending, { done: true, value: undefined })
  for (let number = 0; number < 100; number++) events.open(`tenant ${number}`)
  t.throws(() => events.open('one more'), { code: 'rate_limited' })
  events.clear()
  t.ok(events.open('one more'))
})

t.test('a long webhook is sent without its body', async t => {
  const events = new Events()
  const stream = events.open('a')
  const webhook = { id: 'msg_1', url: '', reactor_id: '', trace_id: '', headers: {}, attempts: [] }
  events.publish('a', 'webhook', { ...webhook, body: { text: 'x'.repeat(100_000) } })
  events.publish('a', 'webhook', { ...webhook, body: { text: 'x' } })
  const [long, short] = eventsIn((await stream.next()).value ?? '')
  t.match(long?.data, { id: 'msg_1', body: null, is_cut: true })
  t.match(short?.data, { id: 'msg_1', body: { text: 'x' }, is_cut: undefined })
})

t.test('the client reads events, in process and over the wire, and closes the stream behind it', async t => {
  const { vault, tenant } = await openDev(t)
  for (const [where, dev] of await devsOf(vault, tenant)) {
    // A tenant has at most ten streams.
    for (let round = 0; round < 12; round++) {
      const events = await dev.events()
      t.equal((await tenant.send('POST', '/tokens', { type: 'token', data: 'a' })).status, 201)
      const seen: DevEvent[] = []
      for await (const event of events) {
        seen.push(event)
        break
      }
      t.match(seen, [{ name: 'request', data: { operation: 'tokens.create' } }], where)
    }
  }
  const none = vault.dev.forTenant({ managementKey: 'key_mgt_unknown' })
  await t.rejects(none.events(), { name: 'DevError', status: 401 })
})

t.test('a stream ends when its key is replaced or revoked, or its application deleted', async t => {
  const { vault, tenant } = await openDev(t)
  const watcher = { name: 'watcher', type: 'management', permissions: ['log:read', 'reactor:read'] }
  for (const [method, path, status] of [
    ['POST', '/regenerate', 200],
    ['DELETE', '/keys/{key}', 204],
    ['DELETE', '', 204],
  ] as const) {
    const { json: made } = await tenant.asManagement('POST', '/applications', watcher)
    const at = `/applications/${made.id}`
    const [{ id: keyId }] = (await tenant.asManagement('GET', `${at}/keys`)).json
    const second = await tenant.asManagement('POST', `${at}/keys`)
    const own = await open(vault, made.key)
    const control = await open(vault, path.includes('{key}') ? second.json.key : tenant.managementKey)
    await own.until(/these are events/)
    await tenant.send('POST', '/tokens', { type: 'token', data: 1 })
    await own.until(/event: request\n.*tokens\.create/)
    const revoked = await tenant.asManagement(method, `${at}${path.replace('{key}', keyId)}`)
    t.equal(revoked.status, status)
    await tenant.send('GET', '/tokens/any')
    t.notMatch(await own.until(), /tokens\.get/)
    t.match(await control.until(/tokens\.get/), /tokens\.get/, 'the control')
    await control.cancel()
  }
})
