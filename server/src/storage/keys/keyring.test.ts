import { randomUUID } from 'node:crypto'
import t from 'tap'
import { newMasterKey, OpenMemoryEngine, tenantA, tenantB } from '../../../verify/support/stores.ts'
import { systemRandom } from '../../base/random.ts'
import { BrokenRecord } from '../broken-record.ts'
import { MemoryEngine } from '../engines/memory/memory-engine.ts'
import { addressOf, Keyring, rootTenant, tenantAt, WrongMasterKey } from './keyring.ts'
import { rotateMasterKey } from './rotation.ts'

const random = systemRandom()
const master = newMasterKey()
const keyringOn = (store: MemoryEngine, key = master) => new Keyring(store, key, random)

t.test('a tenant has the same keys in every process', async t => {
  const store = new MemoryEngine()
  const made = await keyringOn(store).create(tenantA, 1)
  t.same(await keyringOn(store).open(tenantA), made)
  t.same(await keyringOn(store).create(tenantA, 2), made, 'making them again changes nothing')
  t.notSame(made.data.key, made.index)
  t.notSame(await keyringOn(store).create(tenantB, 3), made)
})

t.test('a tenant has no keys until they are created', async t => {
  const store = new MemoryEngine()
  const keyring = keyringOn(store)
  t.equal(await keyring.open(tenantA), undefined)
  const made = await keyringOn(store).create(tenantA, 1)
  t.same(await keyring.open(tenantA), made, 'their absence was not remembered')
})

t.test('many processes that create a tenant at once get the same keys', async t => {
  const store = new MemoryEngine()
  const made = await Promise.all(Array.from({ length: 20 }, (_, at) => keyringOn(store).create(tenantA, at)))
  for (const keys of made) t.same(keys, made[0])
})

t.test('two processes that both saw no keys get the same ones', async t => {
  const store = new MemoryEngine()
  const late = keyringOn(store)
  t.equal(await late.open(tenantA), undefined)
  const [a, b] = await Promise.all([keyringOn(store).create(tenantA, 1), late.create(tenantA, 1)])
  t.same(a, b)
})

t.test('another master key opens nothing and is reported', async t => {
  const store = new MemoryEngine()
  await keyringOn(store).create(rootTenant, 1)
  await keyringOn(store).create(tenantA, 1)
  const wrong = keyringOn(store, newMasterKey())
  await t.rejects(wrong.open(rootTenant), WrongMasterKey)
  await t.rejects(wrong.open(tenantA), WrongMasterKey)
  await t.rejects(wrong.create(tenantA, 2), WrongMasterKey, 'and replaces nothing')
  t.ok(await keyringOn(store).open(tenantA))
  for (const length of [0, 31, 33]) t.throws(() => keyringOn(store, new Uint8Array(length)), RangeError)
})

t.test("one tenant's damaged keys are its own trouble, and no wrong master key", async t => {
  const store = new OpenMemoryEngine()
  for (const tenant of [rootTenant, tenantA, tenantB]) await keyringOn(store).create(tenant, 1)
  const [other] = await store.get('tenant', rootTenant, [addressOf(tenantB)])
  const place = { kind: 'tenant', tenant: rootTenant, id: addressOf(tenantA) } as const
  store.tamper(place, () => ({ box: other?.box ?? new Uint8Array() }))
  const keyring = keyringOn(store)
  await t.rejects(keyring.open(tenantA), BrokenRecord, "another tenant's keys do not open in its place")
  t.ok(await keyring.open(tenantB))
  t.ok(await keyring.open(rootTenant))
})

t.test('keys under a master key that was rotated are not damaged ones', async t => {
  const store = new MemoryEngine()
  const next = newMasterKey()
  const keyring = keyringOn(store)
  for (const tenant of [rootTenant, tenantA, tenantB]) await keyringOn(store).create(tenant, 1)
  await keyring.open(rootTenant)
  const known = await keyring.open(tenantA)
  t.equal(keyring.failure, undefined)
  await rotateMasterKey({ store, from: master, to: next, random, nowUs: 2 })
  const says = 'the master key was rotated: start this server again with the new one'
  await t.rejects(keyring.open(tenantB), { name: 'StoreUnavailable', message: says })
  t.equal(keyring.failure, says)
  await t.rejects(keyring.create(randomUUID(), 3), { name: 'StoreUnavailable', message: says })
  const { total } = await store.find('tenant', rootTenant, { op: 'all' }, { nowMs: 0, offset: 0, limit: 0 })
  t.equal(total, 3, 'no keys were made under the old one')
  t.same(await keyringOn(store, next).open(tenantA), known)
})

t.test('an address can be turned back into its tenant', async t => {
  for (const tenant of [tenantA, tenantB, rootTenant]) t.equal(tenantAt(addressOf(tenant)), tenant)
  t.equal(addressOf(tenantA).length, 22)
})
