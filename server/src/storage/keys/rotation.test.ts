import { randomUUID } from 'node:crypto'
import t from 'tap'
import { dyingAfter, newMasterKey, sealedOn } from '../../../verify/support/stores.ts'
import { systemRandom } from '../../base/random.ts'
import { keyVersionOf } from '../../crypto/envelope.ts'
import { MemoryEngine } from '../engines/memory/memory-engine.ts'
import type { Engine } from '../port/port.ts'
import { Keyring, rootTenant, WrongMasterKey } from './keyring.ts'
import { RotationRefused, rotateMasterKey } from './rotation.ts'

const random = systemRandom()
const from = newMasterKey()
const to = newMasterKey()

async function storeWith(count: number) {
  const store = new MemoryEngine()
  const sealed = sealedOn(store, from)
  await sealed.root(1)
  const tenants = Array.from({ length: count }, () => randomUUID())
  for (const tenant of tenants) {
    const view = await sealed.createTenant(tenant, 1)
    await view.commit([view.insert('token', { id: 'kept' })], 1)
  }
  return { store, tenants }
}

const rotate = (store: Engine, keys = { from, to }) => rotateMasterKey({ store, ...keys, random, nowUs: 2 })

const opensRoot = (store: Engine, key: Uint8Array) => new Keyring(store, key, random).open(rootTenant)

async function canRead(store: Engine, key: Uint8Array, tenants: readonly string[]): Promise<boolean> {
  const sealed = sealedOn(store, key)
  await sealed.root(3)
  for (const tenant of tenants) {
    if (!(await (await sealed.tenant(tenant))?.get('token', 'kept'))) return false
  }
  return true
}

t.test('a rotation is one commit that only rewraps keys', async t => {
  const { store, tenants } = await storeWith(5)
  const boxes = async () =>
    Promise.all(
      tenants.map(async tenant => {
        const all = { nowMs: 0, offset: 0, limit: 10 }
        return (await store.find('token', tenant, { op: 'all' }, all)).documents
      }),
    )
  const before = await boxes()
  const keysBefore = await new Keyring(store, from, random).open(tenants[0] ?? '')
  t.same(await rotate(dyingAfter(store, 1)), { tenants: 5, already: false })
  t.same(await boxes(), before, 'no document was written anew')
  t.same(await new Keyring(store, to, random).open(tenants[0] ?? ''), keysBefore)
  t.ok(await canRead(store, to, tenants))
  await t.rejects(opensRoot(store, from), WrongMasterKey)
  t.equal(keyVersionOf(before[0]?.[0]?.box ?? new Uint8Array()), 1, 'a box names the version of its key')
})

t.test('a repeated rotation changes nothing', async t => {
  const { store, tenants } = await storeWith(2)
  await rotate(store)
  t.same(await rotate(store), { tenants: 2, already: true })
  t.ok(await canRead(store, to, tenants))
})

t.test('a rotation that was cut off has changed nothing, and can be repeated', async t => {
  const { store, tenants } = await storeWith(5)
  await t.rejects(rotate(dyingAfter(store, 0)), { name: 'StoreUnavailable' })
  t.ok(await canRead(store, from, tenants))
  t.same(await rotate(store), { tenants: 5, already: false })
  t.ok(await canRead(store, to, tenants))
})

t.test('a rotation that is not possible is refused, and changes nothing', async t => {
  const { store, tenants } = await storeWith(2)
  await t.rejects(rotate(store, { from: newMasterKey(), to }), RotationRefused)
  await t.rejects(rotate(new MemoryEngine()), RotationRefused, 'a store without keys')
  t.ok(await canRead(store, from, tenants))

  // One tenant is under a key that nobody gave.
  const stray = randomUUID()
  await new Keyring(store, newMasterKey(), random).create(stray, 1)
  await t.rejects(rotate(store), { name: 'RotationRefused', message: new RegExp(stray) })
  t.ok(await canRead(store, from, tenants), 'the others are as they were')
})
