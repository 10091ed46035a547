import t from 'tap'
import { openStream, overWire } from '../../verify/support/stream.ts'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import { Admission } from '../base/flow/admission.ts'
import { admissionBounds } from '../base/limits.ts'
import type { LogEntry, LogPosition } from '../contract/types.ts'
import type { AuditContext } from './audit-log.ts'
import { LogStreams } from './log-streams.ts'

type Line = Partial<LogEntry & LogPosition>

const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
const position = /\{"after":"[^"]+"\}\n/

/** Follows the log of a tenant with its management key, or another one. */
const follow = (
  vault: Parameters<typeof openStream>[0],
  tenant: Pick<TestTenant, 'managementKey'>,
  query = '',
) => openStream(vault, `/logs?follow${query}`, tenant.managementKey)

/** Creates a token for each id. */
async function make({ send }: TestTenant, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status } = await send('POST', '/tokens', { type: 'token', data: `secret ${id}`, id })
    if (status !== 201) throw new Error(`the token ${id} was not created`)
  }
}

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

t.test('entries come as they are made, each to its own tenant', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  await make(tenant, 'before')
  for (const [index, from] of [vault, overWire(url)].entries()) {
    const stream = await follow(from, tenant)
    t.equal(stream.response.status, 200)
    t.equal(stream.response.headers.get('content-type'), 'application/x-ndjson')
    t.equal(stream.response.headers.get('cache-control'), 'no-store')
    await stream.until(position)
    await make(other, `other-${index}`)
    await make(tenant, `first-${index}`, `second-${index}`)
    const text = await stream.until(/second.*\n/)
    const entries = linesIn(text).filter(({ id }) => id)
    t.match(entries, [
      { operation: 'token:create', entity_id: `first-${index}`, tenant_id: tenant.tenantId },
      { operation: 'token:create', entity_id: `second-${index}`, outcome: 'success' },
    ])
    t.equal(entries.length, 2, 'nothing from before, or of another tenant')
    t.notMatch(text, /secret/)
    await stream.cancel()
  }
})

t.test('a stream goes on from any time without a gap, however much there is', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const ids = Array.from({ length: 230 }, (_, at) => `token-${at}`)
  await make(tenant, ...ids)
  const pages = await Promise.all(
    [1, 2, 3].map(page => tenant.asManagement('GET', `/logs?entity_type=token&size=100&page=${page}`)),
  )
  const listed: LogEntry[] = pages.flatMap(({ json }) => json.data).reverse()
  t.equal(listed.length, ids.length)
  const read = async (query: string) => linesIn(await (await follow(vault, tenant, query)).until(position))
  const all = await read('&from=2001-01-01T00:00:00Z&entity_type=token')
  const last = listed.at(-1)?.created_at
  t.same(all, [...listed, { after: last }], 'all entries, and the position behind them')
  for (const at of [0, 99, 228, 229]) {
    const rest = await read(`&after=${listed[at]?.created_at}&entity_type=token`)
    t.same(rest, [...listed.slice(at + 1), { after: last }], `behind entry ${at}`)
  }
  t.same(
    await read(`&entity_id=token-7&from=${listed[3]?.created_at}`),
    [listed[7], { after: last }],
    'the position is behind entries that do not match, too',
  )
  const later = '2999-01-01T00:00:00.000000Z'
  t.same(await read(`&after=${later}`), [{ after: later }])
  t.same(await read(`&after=0001-01-01T00:00:00Z&entity_id=none`), [{ after: last }], 'from before all time')
})

t.test('a list has what is later than a time, too', async t => {
  const tenant = await openTenant(openVault(t))
  await make(tenant, 'one', 'two', 'three')
  const list = (query: string) => tenant.asManagement('GET', `/logs?entity_type=token${query}`)
  const [, second] = (await list('')).json.data
  const { data, pagination } = (await list(`&after=${second.created_at}`)).json
  t.match(data, [{ entity_id: 'three' }])
  t.equal(pagination.total_items, 1)
})

t.test('only who may read the log can follow it', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const allowed = await tenant.application({ permissions: ['log:read'] }, 'management')
  const limited = await tenant.application({ permissions: ['application:read'] }, 'management')
  const stream = await follow(vault, { managementKey: allowed.key })
  t.match(await stream.until(position), position, 'the control')
  t.equal((await limited('GET', '/logs?follow')).status, 403)
  t.equal((await tenant.send('GET', '/logs?follow')).status, 403, 'a private key')
  t.equal((await tenant.as('key_mgt_unknown')('GET', '/logs?follow')).status, 401)
  for (const query of [
    'follow=false',
    'follow=true&after=yesterday',
    'follow&follow',
    'follow&entity_type=x',
  ]) {
    const { status, json } = await allowed('GET', `/logs?${query}`)
    t.equal(status, 400, query)
    t.equal(Object.keys(json.errors).length, 1, query)
  }
})

t.test('a stream ends when its key is replaced or expires, or its application is deleted', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const ends: readonly ((id: string) => Promise<unknown>)[] = [
    id => tenant.asManagement('POST', `/applications/${id}/regenerate`),
    id => tenant.asManagement('DELETE', `/applications/${id}`),
    () => vault.clock.advance(3_600_000),
  ]
  for (const [index, end] of ends.entries()) {
    const expires_at = new Date((await vault.clock.now()) + 3_600_000).toISOString()
    const watcher = await tenant.application({ permissions: ['log:read'], expires_at }, 'management')
    const own = await follow(vault, { managementKey: watcher.key })
    const control = await follow(vault, tenant)
    await own.until(position)
    await make(tenant, `seen-${index}`)
    t.match(await own.until(/seen/), /seen/)
    await end(watcher.id)
    await make(tenant, `unseen-${index}`)
    t.notMatch(await own.until(), /unseen/)
    t.match(await control.until(/unseen/), /unseen/, 'the control')
    await control.cancel()
  }
})

t.test('of many streams of an application ten are open, and another when one is closed', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const other = await tenant.application({ permissions: ['log:read'] }, 'management')
  const first = await follow(overWire(url), tenant)
  const opened = await Promise.all(Array.from({ length: 29 }, () => follow(vault, tenant)))
  const refused = opened.filter(({ response }) => response.status === 429)
  t.equal(refused.length, 20)
  t.match(await refused[0]?.until(), /too many streams of the log of this application/)
  t.equal(refused[0]?.response.headers.get('retry-after'), '1')
  t.equal((await follow(vault, { managementKey: other.key })).response.status, 200, 'another application')
  t.equal((await tenant.asManagement('GET', '/logs')).status, 200, 'a list')
  await first.cancel()
  // The connection of the first one closes when the server notices.
  let status = 429
  while (status === 429) {
    await nextTurn()
    status = (await follow(vault, tenant)).response.status
  }
  t.equal(status, 200)
})

/** Streams of tenants without entries. */
function streamsOf(limits: ConstructorParameters<typeof LogStreams>[2]) {
  const findPage = async () => ({ total: 0, records: [] })
  const context = {
    store: { tenant: async () => ({ findPage, term: () => '' }) },
    audit: { settled: async () => {} },
    nowUs: () => 0,
  } as unknown as AuditContext
  const admission = new Admission('streams of the log', admissionBounds.logStreams)
  return { admission, streams: new LogStreams(context, admission, limits) }
}

const caller = (tenant: string, application: string) => ({ tenant, application }) as never

t.test('tenants, addresses and the server have shares', async t => {
  const { admission, streams } = streamsOf({
    pollMs: 1,
    positionMs: 1,
    longestMs: 60_000,
    entriesAtOnce: 100,
  })
  const open = (number: number, tenant: string, peer: string) =>
    streams.open(caller(tenant, `application ${number}`), {}, peer)
  for (let at = 0; at < 20; at++) await open(at, 'tenant', `peer ${at}`)
  await t.rejects(open(20, 'tenant', 'peer'), { code: 'rate_limited', message: /of this tenant/ })
  streams.end()
  t.equal(admission.total, 0)
  for (let at = 0; at < 50; at++) await open(at, `tenant ${at}`, 'peer')
  await t.rejects(open(50, 'tenant', 'peer'), { code: 'rate_limited', message: /of this peer/ })
  for (let at = 50; at < 100; at++) await open(at, `tenant ${at}`, `peer ${at}`)
  await t.rejects(open(100, 'tenant', 'another'), { code: 'unavailable' })
  streams.close()
  t.equal(admission.total, 0)
  await t.rejects(open(101, 'tenant', 'peer'), { code: 'unavailable', message: /stopping/ }, 'after the end')
})

t.test('a stream says where it is, and ends when it is old, read or not', async t => {
  const { admission, streams } = streamsOf({ pollMs: 1, positionMs: 0, longestMs: 50, entriesAtOnce: 100 })
  const open = () => streams.open(caller('a', 'b'), {})
  const [read, unread] = [await open(), await open()]
  const lines: unknown[] = []
  for await (const line of read) lines.push(line)
  t.ok(lines.length > 1, `${lines.length} positions`)
  t.strictSame(lines[0], { after: '1970-01-01T00:00:00.000000Z' })
  while (admission.total > 0) await nextTurn()
  t.strictSame(await unread.next(), { done: true, value: undefined })
  const abandoned = await open()
  const pending = abandoned.next().then(() => abandoned.next())
  await abandoned.return?.()
  t.strictSame(await pending, { done: true, value: undefined })
  t.equal(admission.total, 0)
})

t.test('closing and reset end streams, and wait for none of them', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const before = await follow(vault, await openTenant(vault))
  await before.until(position)
  await vault.reset()
  t.match(await before.until(), position)
  const tenant = await openTenant(vault)
  const [inProcess, wire] = [await follow(vault, tenant), await follow(overWire(url), tenant)]
  for (const stream of [inProcess, wire]) await stream.until(position)
  await vault.close()
  for (const stream of [inProcess, wire]) t.match(await stream.until(), position)
})

t.test('a test server neither waits for the end of a stream to spoil it, nor to send it again', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const dev = vault.dev.forTenant(tenant)
  await dev.faults.next({ operation: 'logs.list', malformed: true })
  t.match(await (await follow(vault, tenant)).until(position), position)
  const [request] = await dev.requests.list({ operation: 'logs.list' })
  t.match(await dev.requests.replay(request?.number ?? 0), { status: 200 })
})

t.test('lines are translated like pages', async t => {
  const profile = `${t.testdir({ 'p.yaml': 'log_entity_types: { token: vault_item }\ndialects: [camel-case-members]' })}/p.yaml`
  const vault = openVault(t, { profile })
  const tenant = await openTenant(vault)
  await make(tenant, 'one')
  const headers = { 'SVC-API-KEY': tenant.managementKey, 'SVC-MEMBERS': 'camelCase' }
  const query = 'follow&entityType=vault_item&from=2001-01-01T00:00:00Z'
  const response = await vault.fetch(`http://vault/logs?${query}`, { headers })
  const { value } = (await response.body?.getReader().read()) ?? {}
  t.match(linesIn(new TextDecoder().decode(value)), [{ entityType: 'vault_item', entityId: 'one' }])
})
