import t from 'tap'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey, OpenMemoryEngine, replacing, sealedOn } from '../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { silentLog } from '../base/log.ts'
import { rootTenant } from '../storage/keys/keyring.ts'
import type { DocumentKind, Engine } from '../storage/port/port.ts'
import { openAuthorized, openSession } from './_fixture.ts'

const minute = 60_000
const now = () => Date.UTC(2030, 0, 1)
const read = { permissions: ['token:read'] }

async function count(store: Engine, kind: DocumentKind, tenant: string): Promise<number> {
  return (await store.find(kind, tenant, { op: 'all' }, { nowMs: 0, offset: 0, limit: 0 })).total
}

/** Everything that is stored of sessions: records, nonces, and all keys, the operator's too. */
async function recorded(store: Engine, tenant: string) {
  return {
    sessions: await count(store, 'session', tenant),
    nonces: await count(store, 'nonce', tenant),
    keys: (await count(store, 'key', tenant)) + (await count(store, 'key', rootTenant)),
  }
}

t.test('a key is dead when its time is over, and the sweep then takes all that is left', async t => {
  const store = await openTestStore(t)
  const vault = openVault(t, { now }, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const before = await recorded(store, tenant.tenantId)
  const plain = await openSession(tenant)
  const authorized = await openAuthorized(tenant, read)
  const longer = await openAuthorized(tenant, { ...read, expires_at: '2030-01-01T00:10:30Z' })
  t.same(await recorded(store, tenant.tenantId), { sessions: 3, nonces: 3, keys: before.keys + 3 })

  await vault.clock.advance(3 * minute)
  for (const { send } of [plain, authorized]) t.equal((await send('GET', '/tokens')).status, 401)
  t.equal((await longer.send('GET', '/tokens')).status, 200)
  await vault.clock.advance(minute)
  t.same(await recorded(store, tenant.tenantId), { sessions: 1, nonces: 1, keys: before.keys + 1 })
  t.equal((await longer.send('GET', '/tokens')).status, 200)
  await vault.clock.advance(8 * minute)
  t.same(await recorded(store, tenant.tenantId), before)
  t.equal((await longer.send('GET', '/tokens')).status, 401)
  t.equal((await longer.authorize(read)).status, 404, 'a nonce that was used is unknown by then')

  const { data } = (await tenant.asManagement('GET', '/logs?entity_type=session')).json
  const ended = data.filter(({ operation }: { operation: string }) => operation === 'session:expire')
  t.equal(ended.length, 3)
  for (const entry of ended) t.match(entry, { actor_type: 'system', outcome: 'success' })
  const created = data.filter(({ operation }: { operation: string }) => operation === 'session:create')
  const ids = (entries: { entity_id: string }[]) => entries.map(entry => entry.entity_id).sort()
  t.same(ids(ended), ids(created))
})

t.test('a key is refused after its time even before a sweep', async t => {
  const store = await openTestStore(t)
  const unswept = replacing(store, { lease: async () => false })
  const vault = openVault(t, { now }, { openStore: async () => unswept })
  const tenant = await openTenant(vault)
  const session = await openAuthorized(tenant, read)
  await vault.clock.advance(3 * minute - 1)
  t.equal((await session.send('GET', '/tokens')).status, 200)
  await vault.clock.advance(1)
  t.equal((await session.send('GET', '/tokens')).status, 401)
  t.equal(await count(store, 'session', tenant.tenantId), 1, 'control: it is still there')
})

t.test('sessions outlive the process that made them', async t => {
  const folder = t.testdir()
  const masterKey = newMasterKey()
  const options = { storage: `level:${folder}`, masterKey, now }
  const first = openVault(t, options)
  const tenant = await openTenant(first)
  const session = await openAuthorized(tenant, read)
  const waiting = await openSession(tenant)
  await first.close()
  const second = openVault(t, options)
  const ask = async (key: string) => (await sender(second, key)('GET', '/tokens')).status
  t.equal(await ask(session.key), 200)
  const grant = { nonce: waiting.nonce, ...read }
  const reply = await sender(second, tenant.privateKey)('POST', '/sessions/authorize', grant)
  t.equal(reply.status, 200)
  t.equal(await ask(waiting.key), 200)
  await second.clock.advance(3 * minute)
  t.equal(await ask(session.key), 401)
})

t.test('all of many sessions end with their application', async t => {
  const store = await openTestStore(t)
  const tenant = await openTenant(openVault(t, {}, { openStore: async () => store }))
  const page = await tenant.application({ permissions: ['token:create'] }, 'public')
  await Promise.all(Array.from({ length: 150 }, () => openSession(tenant, page)))
  t.equal(await count(store, 'session', tenant.tenantId), 150)
  t.equal((await tenant.asManagement('DELETE', `/applications/${page.id}`)).status, 204)
  t.equal(await count(store, 'session', tenant.tenantId), 0)
  t.equal(await count(store, 'nonce', tenant.tenantId), 0)
})

t.test('where the process dies between the two, the sessions are dead all the same', async t => {
  const inner = await openTestStore(t)
  const store = replacing(inner, {
    commit: async (writes, nowUs) => {
      if (writes.some(({ kind, type }) => kind === 'session' && type === 'remove'))
        throw new Error('died here')
      return inner.commit(writes, nowUs)
    },
  })
  const tenant = await openTenant(openVault(t, { log: silentLog }, { openStore: async () => store }))
  const own = await tenant.application(read)
  const session = await openSession(tenant)
  await session.authorize(read, own)
  t.equal((await session.send('GET', '/tokens')).status, 200)
  t.equal((await tenant.asManagement('DELETE', `/applications/${own.id}`)).status, 500)
  t.equal(await count(inner, 'session', tenant.tenantId), 1, 'control: it is still there')
  t.equal((await session.send('GET', '/tokens')).status, 401)
})

t.test('a session whose record is spoilt is erased when its time is over, and hides no other', async t => {
  const store = new OpenMemoryEngine()
  const masterKey = newMasterKey()
  const options = { now, masterKey, log: silentLog }
  const vault = openVault(t, options, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const spoilt = await openSession(tenant)
  await openSession(tenant)
  const view = await sealedOn(store, masterKey).tenant(tenant.tenantId)
  const { entity_id } = (await tenant.asManagement('GET', '/logs?entity_type=session')).json.data[1]
  if (!view) throw new Error('the tenant is there')
  const id = view.address('session', entity_id)
  store.tamper({ kind: 'session', tenant: tenant.tenantId, id }, ({ box }) => ({
    box: box.map(byte => byte ^ 1),
  }))
  t.equal(await count(store, 'session', tenant.tenantId), 2)
  await vault.clock.advance(4 * minute)
  t.equal(await count(store, 'session', tenant.tenantId), 0)
  t.equal((await spoilt.send('GET', '/tokens')).status, 401)
})

t.test('a new key for an application leaves its sessions alone', async t => {
  const tenant = await openTenant(openVault(t))
  const own = await tenant.application(read)
  const session = await openSession(tenant)
  await session.authorize(read, own)
  await tenant.asManagement('POST', `/applications/${own.id}/regenerate`)
  t.equal((await session.send('GET', '/tokens')).status, 200)
})
