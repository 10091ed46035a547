import t from 'tap'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import { Dev, type DevEvent } from '../generated/dev-client/index.ts'
import { openStream, overWire } from './_stream.ts'
import { EventStream, Events } from './events.ts'

/** Opens a stream over the wire or in process. */
const open = (
  vault: Parameters<typeof openStream>[0],
  { managementKey }: Pick<TestTenant, 'managementKey'>,
) => openStream(vault, '/_dev/events', managementKey)

const eventsIn = (text: string) =>
  [...text.matchAll(/^event: (\w+)\ndata: (.*)\n$/gm)].map(([, name, data = '']) => ({
    name,
    data: JSON.parse(data),
  }))

t.test('requests, webhooks and printed lines are sent as they come, each to its own tenant', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const [own, others] = [await open(vault, tenant), await open(vault, other)]
  t.equal(own.response.status, 200)
  t.match(own.response.headers.get('content-type'), /^text\/event-stream/)
  t.equal(own.response.headers.get('cache-control'), 'no-store')
  const trace = 'a trace with "quotes"'
  await tenant.send('POST', '/tokens', { type: 'token', data: 'hidden\nevent: x' }, { 'SVC-TRACE-ID': trace })
  const [request] = eventsIn(await own.until(/event: request\n.*\n\n/))
  t.match(request, { name: 'request', data: { operation: 'tokens.create', trace_id: trace } })
  const code = 'module.exports = async () => { console.warn("a\\nline"); return { raw: { n: 1 } } }'
  const reactor = await reactorOn(tenant, code)
  const { url } = vault.dev.inbox
  await reactor({ args: {}, callback_url: url })
  const text = await own.until(/event: webhook\n.*\n\n/)
  t.match(
    eventsIn(text).find(({ name }) => name === 'console'),
    { data: { reactor_id: reactor.id, level: 'warn', text: 'a\nline' } },
  )
  t.match(
    eventsIn(text).find(({ name }) => name === 'webhook'),
    { data: { reactor_id: reactor.id, attempts: [{ status: 200 }] } },
  )
  t.notMatch(text, /hidden/)
  await other.send('GET', '/tokens')
  const seen = eventsIn(await others.until(/event: request\n.*\n\n/))
  t.same(
    seen.map(({ data }) => data.operation),
    ['tokens.list'],
  )
})

t.test('a refusal is sent with its explanation', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const stream = await open(vault, tenant)
  await tenant.asPublic('GET', '/tokens')
  const [refused] = eventsIn(await stream.until(/event: request\n.*\n\n/))
  t.match(refused?.data, {
    status: 403,
    explanation: { permission: 'token:read', rules: [{ matches: false, reason: /token:read/ }] },
  })
})

t.test('streams need a management key that may read reactors', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const limited = await tenant.application({ permissions: ['application:read'] }, 'management')
  const allowed = await tenant.application({ permissions: ['reactor:read'] }, 'management')
  t.equal((await limited('GET', '/_dev/events')).status, 403)
  t.equal((await open(vault, { managementKey: allowed.key })).response.status, 200)
  t.equal((await tenant.send('GET', '/_dev/events')).status, 403, 'a private key')
  t.equal((await tenant.as(undefined)('GET', '/_dev/events')).status, 401)
  const page = { Origin: 'https://evil.example' }
  t.equal((await tenant.asManagement('GET', '/_dev/events', undefined, page)).status, 403)
})

t.test('of 1,000 streams ten are open, and the next can be when one is closed', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const { url } = await vault.listen()
  const first = await open(overWire(url), tenant)
  const opened = await Promise.all(Array.from({ length: 999 }, () => open(vault, tenant)))
  const refused = opened.filter(({ response }) => response.status === 429)
  t.equal(refused.length, 990)
  t.match(await refused[0]?.until(), /"urn:surrogate:error:rate_limited"/)
  t.equal(refused[0]?.response.headers.get('retry-after'), '1')
  t.equal((await open(vault, other)).response.status, 200, 'another tenant has its own')
  await first.cancel()
  // The connection of the first one closes when the server notices.
  let status = 429
  while (status === 429) {
    await new Promise(resolve => setImmediate(resolve))
    status = (await open(vault, tenant)).response.status
  }
  t.equal(status, 200)
})

t.test('closing and reset end streams, and wait for none of them', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const before = await open(vault, tenant)
  await vault.reset()
  await before.until()
  const again = await openTenant(vault)
  const inProcess = await open(vault, again)
  const wire = await open(overWire(url), again)
  await vault.close()
  await inProcess.until()
  await wire.until()
  t.pass('all have ended')
})

t.test('what is not read in time is dropped and counted', async t => {
  const stream = new EventStream(
    () => {},
    () => 0,
  )
  for (let number = 0; number < 1_000_000; number++) stream.push('event: x\ndata: {}\n\n')
  const { value = '' } = await stream.next()
  const shown = eventsIn(value)
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
  t.throws(() => events.open('a'), { code: 'rate_limited' })
  nowMs = 299_999
  t.throws(() => events.open('a'), { code: 'rate_limited' })
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
  t.match(short?.data, { id: 'msg_1', body: { text: 'x' } })
  t.equal(short?.data.is_cut, undefined)
})

t.test('the client reads events, in process and over the wire, and closes the stream behind it', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { port } = await vault.listen()
  const remote = new Dev({ baseUrl: `http://127.0.0.1:${port}`, managementKey: tenant.managementKey })
  for (const dev of [vault.dev.forTenant(tenant), remote]) {
    // A tenant has at most ten streams.
    for (let round = 0; round < 12; round++) {
      const events = await dev.events()
      t.equal((await tenant.send('POST', '/tokens', { type: 'token', data: 'a' })).status, 201)
      const seen: DevEvent[] = []
      for await (const event of events) {
        seen.push(event)
        break
      }
      t.match(seen, [{ name: 'request', data: { operation: 'tokens.create' } }])
    }
  }
  const none = vault.dev.forTenant({ managementKey: 'key_mgt_unknown' })
  await t.rejects(none.events(), { name: 'DevError', status: 401 })
})

t.test(
  'a stream ends when the key that opened it is replaced or revoked, or its application deleted',
  async t => {
    const vault = openVault(t)
    const tenant = await openTenant(vault)
    for (const [index, [method, path, status]] of (
      [
        ['POST', '/regenerate', 200],
        ['DELETE', '/keys/{key}', 204],
        ['DELETE', '', 204],
      ] as const
    ).entries()) {
      const watcher = await tenant.asManagement('POST', '/applications', {
        name: 'watcher',
        type: 'management',
        permissions: ['log:read', 'reactor:read'],
      })
      const at = `/applications/${watcher.json.id}`
      const [{ id: keyId }] = (await tenant.asManagement('GET', `${at}/keys`)).json
      const second = await tenant.asManagement('POST', `${at}/keys`)
      const own = await open(vault, { managementKey: watcher.json.key })
      const control = await open(vault, path.includes('{key}') ? { managementKey: second.json.key } : tenant)
      await own.until(/these are events/)
      await tenant.send('POST', '/tokens', { id: `seen-${index}`, type: 'token', data: 1 })
      await own.until(/event: request\n.*tokens\.create/)
      const revoked = await tenant.asManagement(method, `${at}${path.replace('{key}', keyId)}`)
      t.equal(revoked.status, status)
      await tenant.send('GET', `/tokens/seen-${index}`)
      t.notMatch(await own.until(), /tokens\.get/)
      t.match(await control.until(/tokens\.get/), /tokens\.get/, 'the control')
      await control.cancel()
    }
  },
)
