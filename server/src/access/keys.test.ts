import t, { type Test } from 'tap'
import { newMasterKey, replacing } from '../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { systemRandom } from '../base/random.ts'
import { LevelEngine } from '../storage/engines/level/level-engine.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'
import { rootTenant } from '../storage/keys/keyring.ts'
import { makeKey } from './keys.ts'

const application = '0c6a2c1a-93f8-4a43-8f31-5a3c9ad5bb01'
const tenantId = '5b493235-6917-4307-906a-2cd6f1a90b13'
const otherId = '5b493235-6917-4307-906a-2cd6f1a90b14'

/** A bootstrap file with one application. */
const file = (key: string, tenant = tenantId, id = application) => ({
  tenants: [
    {
      id: tenant,
      applications: [{ id, name: 'A', type: 'private', key, permissions: ['token:read'] }],
    },
  ],
})

/** Servers, one after the other, on a store that counts what is read and written of the operator. */
function deployment(t: Test) {
  const memory = new MemoryEngine()
  const seen = { root: 0 }
  const count = (tenant: string) => {
    if (tenant === rootTenant) seen.root++
  }
  const store = replacing(memory, {
    close: async () => {},
    get: async (kind, tenant, ids) => {
      count(tenant)
      return memory.get(kind, tenant, ids)
    },
    commit: async (writes, nowUs) => {
      for (const { tenant } of writes) count(tenant)
      return memory.commit(writes, nowUs)
    },
  })
  const masterKey = newMasterKey()
  return {
    seen,
    memory,
    open: (bootstrap?: object) =>
      openVault(
        t,
        { masterKey, developmentTenant: false, ...(bootstrap ? { bootstrap: bootstrap as never } : {}) },
        { openStore: async () => store },
      ),
  }
}

t.test('a request with a key of its tenant touches nothing of the operator', async t => {
  const { seen, open } = deployment(t)
  const tenant = await openTenant(open())
  const before = seen.root
  const card = { type: 'card', data: { number: '4242424242424242' } }
  t.equal((await tenant.send('POST', '/tokens', card)).status, 201)
  const reader = await tenant.application({ permissions: ['token:read'] })
  t.equal((await reader('GET', '/tokens')).status, 200)
  const { session_key } = (await tenant.asPublic('POST', '/sessions')).json
  t.equal((await tenant.as(session_key)('GET', '/tokens')).status, 403)
  const again = await tenant.asManagement('POST', `/applications/${reader.id}/regenerate`)
  t.equal(again.status, 200)
  t.equal((await reader('GET', '/tokens')).status, 401, 'the old key is dead')
  t.equal((await tenant.as(again.json.key)('GET', '/tokens')).status, 200)
  t.equal((await tenant.asManagement('DELETE', `/applications/${reader.id}`)).status, 204)
  t.equal((await tenant.as(again.json.key)('GET', '/tokens')).status, 401)
  // Only keys that lead nowhere are looked for with the operator: the two dead ones. For each, once by the record that is
  // still in memory and once without it, this asks if the tenant is there.
  t.equal(seen.root - before, 2 * 3)
})

t.test('keys that say no tenant go on working', async t => {
  const { seen, open } = deployment(t)
  const key = makeKey('private', systemRandom())
  const vault = open(file(key))
  const get = async (value: string) => (await sender(vault, value)('GET', '/tokens')).status
  const before = seen.root
  t.equal(await get(key), 200)
  t.ok(seen.root > before, 'which is looked for with the operator')
  t.equal(await get(makeKey('private', systemRandom())), 401)
})

t.test('a key moves between tenants only by a file that takes it away first', async t => {
  const { open } = deployment(t)
  const vault = open()
  const tenant = await openTenant(vault)
  const { key } = await tenant.application({ permissions: ['token:read'] })
  const refused = open(file(key))
  await t.rejects(refused.ready(), { name: 'BootstrapError', message: /belongs to another application/ })
  const free = makeKey('private', systemRandom())
  await t.resolves(open(file(free)).ready(), 'the control')
  await t.rejects(open(file(free, otherId, otherId)).ready(), /belongs to another application/)
})

t.test('a key of another deployment is one like any other', async t => {
  const elsewhere = await openTenant(deployment(t).open())
  const { open } = deployment(t)
  const vault = open(file(elsewhere.privateKey))
  t.equal((await sender(vault, elsewhere.privateKey)('GET', '/tokens')).status, 200)
})

t.test('a key in memory is refused as soon as it is gone, replaced or expired', async t => {
  const seen = { reads: 0 }
  const level = await LevelEngine.open(t.testdir())
  const store = replacing(level, {
    get: (...given) => {
      if (given[0] === 'key' || given[0] === 'application') seen.reads++
      return level.get(...given)
    },
  })
  const vault = openVault(t, { masterKey: newMasterKey() }, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const rights = { permissions: ['token:read'] }
  /** Makes an application whose key and rights are in memory. */
  const known = async () => {
    const reader = await tenant.application(rights)
    t.equal((await reader('GET', '/tokens')).status, 200)
    const before = seen.reads
    t.equal((await reader('GET', '/tokens')).status, 200)
    t.equal(seen.reads, before, 'nothing is read for a known key')
    return { reader, path: `/applications/${reader.id}` }
  }
  const deleted = await known()
  t.equal((await tenant.asManagement('DELETE', deleted.path)).status, 204)
  t.equal((await deleted.reader('GET', '/tokens')).status, 401)

  const replaced = await known()
  const again = await tenant.asManagement('POST', `${replaced.path}/regenerate`)
  t.equal((await replaced.reader('GET', '/tokens')).status, 401)
  t.equal((await tenant.as(again.json.key)('GET', '/tokens')).status, 200)

  const revoked = await known()
  const [{ id }] = (await tenant.asManagement('GET', `${revoked.path}/keys`)).json
  const second = await tenant.asManagement('POST', `${revoked.path}/keys`)
  t.equal((await revoked.reader('GET', '/tokens')).status, 200)
  t.equal((await tenant.asManagement('DELETE', `${revoked.path}/keys/${id}`)).status, 204)
  t.equal((await revoked.reader('GET', '/tokens')).status, 401)
  t.equal((await tenant.as(second.json.key)('GET', '/tokens')).status, 200)

  const changed = await known()
  const body = { name: 'A', type: 'private', permissions: ['token:create'] }
  t.equal((await tenant.asManagement('PUT', changed.path, body)).status, 200)
  t.equal((await changed.reader('GET', '/tokens')).status, 403)

  const ending = await known()
  const expires_at = new Date((await vault.clock.now()) + 60_000).toISOString()
  const until = { name: 'A', type: 'private', ...rights, expires_at }
  t.equal((await tenant.asManagement('PUT', ending.path, until)).status, 200)
  t.equal((await ending.reader('GET', '/tokens')).status, 200)
  t.equal((await ending.reader('GET', '/tokens')).status, 200)
  await vault.clock.advance(60_000)
  t.equal((await ending.reader('GET', '/tokens')).status, 401)
})
