import t from 'tap'
import { newMasterKey, OpenMemoryEngine, sealedOn } from '../../../verify/support/stores.ts'
import { openTenant, openVault } from '../../../verify/support/vault.ts'
import { withoutIds } from '../../../verify/support/without-ids.ts'
import type { Log, LogFields } from '../../base/log.ts'
import type { DocumentKind } from '../../storage/port/port.ts'
import type { TenantRecords } from '../../storage/records/records.ts'

type Line = readonly [event: string, fields: LogFields | undefined]

const empty = () => ({ box: new Uint8Array() })

async function open(context: Parameters<typeof openVault>[0]) {
  const store = new OpenMemoryEngine()
  const masterKey = newMasterKey()
  const lines: Line[] = []
  const note = (event: string, fields?: LogFields) => lines.push([event, fields])
  const log: Log = { info() {}, warn: note, error: note }
  const vault = openVault(context, { masterKey, log }, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const view = (await sealedOn(store, masterKey).tenant(tenant.tenantId)) as TenantRecords
  const damage = (kind: DocumentKind, id: string) =>
    store.tamper({ kind, tenant: view.tenant, id: view.address(kind, id) }, empty)
  return { vault, tenant, store, view, lines, damage }
}

t.test('a broken token is a 500 with a trace id; lists skip it and count it', async t => {
  const { tenant, lines, damage, view } = await open(t)
  for (const id of ['one', 'two', 'three'])
    await tenant.send('POST', '/tokens', { id, type: 'token', data: `data of ${id}` })
  damage('token', 'two')

  const trace = { 'SVC-TRACE-ID': 'trace-of-this' }
  const asks = [
    await tenant.send('GET', '/tokens/two', undefined, trace),
    await tenant.send('PATCH', '/tokens/two', { data: 'x' }, trace),
    await tenant.send('DELETE', '/tokens/two', undefined, trace),
    await tenant.send('POST', '/tokens', { id: 'two', type: 'token', data: 'x' }, trace),
  ]
  for (const { status, headers, json, text } of asks) {
    t.equal(status, 500)
    t.equal(headers.get('svc-trace-id'), 'trace-of-this')
    t.match(json, { type: 'urn:surrogate:error:internal', instance: 'urn:surrogate:trace:trace-of-this' })
    t.notMatch(text, /two|record|open/, 'it says nothing of the cause')
  }
  const code = `token/${view.tenant}/${view.address('token', 'two')}`
  t.equal(lines.length, asks.length)
  for (const [event, fields] of lines) {
    t.equal(event, 'request failed')
    t.match(fields, { trace: 'trace-of-this', error: 'BrokenRecord', code })
  }

  lines.length = 0
  for (let times = 0; times < 3; times++) {
    const list = await tenant.send('GET', '/tokens')
    t.equal(list.status, 200)
    const found = list.json.data.map(({ id }: { id: string }) => id)
    t.same(found, ['three', 'one'])
    t.equal(list.json.pagination.total_items, 3)
  }
  const seen = lines.map(([event]) => event)
  t.same(seen, ['a stored record does not open'], 'logged once, not with every list')
  t.match(lines[0]?.[1], { kind: 'token', tenant: view.tenant, address: view.address('token', 'two') })
  t.notMatch(JSON.stringify(lines), /data of|"two"/)
  t.equal((await tenant.send('GET', '/tokens/one')).json.data, 'data of one')
})

t.test('a card whose cvc is broken can be deleted, but not read; other cards are listed', async t => {
  const { tenant, store, view, damage, lines } = await open(t)
  const data = { number: '4242424242424242', cvc: '123' }
  for (const id of ['one', 'two']) await tenant.send('POST', '/tokens', { id, type: 'card', data })
  const token = await view.get<{ id: string; cvc: { id: string } }>('token', 'two')
  damage('token-cvc', token?.value.cvc.id ?? '')

  t.equal((await tenant.send('GET', '/tokens/two')).status, 500)
  const list = await tenant.send('GET', '/tokens')
  t.match(list.json, { data: [{ id: 'one', data: { cvc: '123' } }], pagination: { total_items: 2 } })
  t.equal(list.json.data.length, 1)
  t.equal((await tenant.send('DELETE', '/tokens/two')).status, 204)
  t.equal(
    (await store.get('token-cvc', view.tenant, [view.address('token-cvc', token?.value.cvc.id ?? '')]))[0],
    undefined,
  )
  t.notMatch(withoutIds(JSON.stringify(lines)), /4242|123"/)
})

t.test('a broken application locks out only itself', async t => {
  const { tenant, damage } = await open(t)
  const one = await tenant.application({ permissions: ['token:read'] })
  const two = await tenant.application({ permissions: ['token:read'] })
  damage('application', one.id)
  t.equal((await one('GET', '/tokens')).status, 500)
  t.equal((await two('GET', '/tokens')).status, 200)
  t.equal((await tenant.asManagement('GET', `/applications/${one.id}`)).status, 500)
  const list = await tenant.asManagement('GET', '/applications')
  t.equal(list.status, 200)
  t.notOk(list.json.data.some(({ id }: { id: string }) => id === one.id))
})

t.test('a broken log entry does not make the log unreadable', async t => {
  const { tenant, store, view } = await open(t)
  await tenant.send('POST', '/tokens', { id: 'one', type: 'token', data: 1 })
  const { documents } = await store.find(
    'audit',
    view.tenant,
    { op: 'all' },
    { nowMs: 0, offset: 0, limit: 9 },
  )
  const [entry] = documents
  t.ok(entry)
  if (entry) store.tamper(entry, empty)
  const log = await tenant.asManagement('GET', '/logs')
  t.equal(log.status, 200)
  t.equal(log.json.data.length, log.json.pagination.total_items - 1)
})

t.test('a record that does not open is erased when it expires, and does not delay others', async t => {
  const store = new OpenMemoryEngine()
  const masterKey = newMasterKey()
  const now = () => Date.UTC(2030, 0, 1)
  const log: Log = { info() {}, warn() {}, error() {} }
  const vault = openVault(t, { masterKey, log, now }, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const view = (await sealedOn(store, masterKey).tenant(tenant.tenantId)) as TenantRecords
  const ids = Array.from({ length: 200 }, (_, at) => `t-${at}`)
  for (const id of ids)
    await tenant.send('POST', '/tokens', { id, type: 'token', data: 1, expires_at: '2030-01-01T00:00:30Z' })
  const address = (id: string) =>
    ({ kind: 'token', tenant: view.tenant, id: view.address('token', id) }) as const
  // More than a batch of each: some that do not open, and some of which not even the version is known.
  for (const id of ids.slice(0, 70)) store.tamper(address(id), empty)
  for (const id of ids.slice(70, 140)) store.tamper(address(id), () => ({ ...empty(), version: 0 }))
  await vault.clock.advance(60_000)
  const left = await store.get(
    'token',
    view.tenant,
    ids.map(id => view.address('token', id)),
  )
  const found = left.map(document => document !== undefined)
  t.same(
    found,
    ids.map((_, at) => at >= 70 && at < 140),
  )
  const expired = (await tenant.asManagement('GET', '/logs?size=100')).json.data.filter(
    ({ operation }: { operation: string }) => operation === 'token:expire',
  )
  t.equal(expired.length, 100, 'a page of the 130 entries')
})
