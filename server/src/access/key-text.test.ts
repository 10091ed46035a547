import { randomUUID } from 'node:crypto'
import t from 'tap'
import { newMasterKey, sealedOn } from '../../verify/support/stores.ts'
import { systemRandom } from '../base/random.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'
import { makeKey, tenantOfKey } from './keys.ts'

const random = systemRandom()
const newRoot = () => sealedOn(new MemoryEngine(), newMasterKey()).root(0)
const bytesOf = (key: string) => Buffer.from(key.slice(8), 'base64url')

t.test('a key says its tenant to the deployment that made it, and to no other', async t => {
  const [root, other] = [await newRoot(), await newRoot()]
  for (const type of ['public', 'private', 'management', 'session'] as const) {
    const tenant = randomUUID()
    const key = makeKey(type, random, { root, tenant })
    t.match(key, /^key_(pub|prv|mgt|ses)_[\w-]{64}$/)
    t.equal(tenantOfKey(root, key), tenant)
    t.equal(tenantOfKey(other, key), undefined)
  }
})

t.test('a key that was changed anywhere says nothing', async t => {
  const root = await newRoot()
  const key = makeKey('private', random, { root, tenant: randomUUID() })
  for (let at = 8; at < key.length; at++) {
    const changed = key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1)
    t.equal(tenantOfKey(root, changed), undefined, `character ${at}`)
  }
  for (const other of [key.slice(0, -1), `${key}A`, key.slice(8), key.replace('prv', 'any'), ''])
    t.equal(tenantOfKey(root, other), undefined)
  t.equal(tenantOfKey(root, key), tenantOfKey(root, key), 'the control')
})

t.test('a key without a home says nothing', async t => {
  const key = makeKey('private', random)
  t.match(key, /^key_prv_[\w-]{32}$/)
  t.equal(tenantOfKey(await newRoot(), key), undefined)
})

t.test('two keys of a tenant have no more in common than keys of two tenants', async t => {
  const root = await newRoot()
  const tenant = randomUUID()
  // The bytes that all keys share at the same place. By chance one place in 256 would be shared by two keys, and none
  // by eight.
  const keys = Array.from({ length: 8 }, () => bytesOf(makeKey('private', random, { root, tenant })))
  const [first = Buffer.alloc(0)] = keys
  t.equal(first.length, 48)
  const left = [...first.keys()].filter(at => keys.every(key => key[at] === first[at]))
  t.same(left, [])
  const id = Buffer.from(tenant.replaceAll('-', ''), 'hex')
  for (const key of keys) t.notOk(key.includes(id), 'the id itself is not in it')
})
