import fc from 'fast-check'
import t from 'tap'
import { liveTerm } from '../../index/search.ts'
import { collectionNamed, collectionOf } from '../../port/collection.ts'
import { digest, tenantA } from '../../port/port.samples.ts'
import { documentKinds } from '../../port/port.ts'
import {
  agendaKey,
  agendaRange,
  blockKey,
  blockOfKey,
  collectionOfAgendaKey,
  createdFrom,
  createdKey,
  dueKey,
  endOfKeys,
  garbageKey,
  garbageOfKey,
  keysOfSort,
  modifiedKey,
  modifiedRange,
  ordinalKey,
  ordinalOfKey,
  stampOfKey,
  termPrefix,
} from './keys.ts'

const collection = collectionOf({ kind: 'token', tenant: tenantA })
const stamp = fc.maxSafeNat()
const ordinal = fc.nat(2 ** 36 - 1)

const isWithin = (key: string, { gte, lt }: { gte: string; lt: string }) => key >= gte && key < lt

t.test('keys sort like their numbers and can be parsed', async () => {
  fc.assert(
    fc.property(stamp, stamp, ordinal, ordinal, (a, b, m, n) => {
      const sorted = (left: string, right: string, isLess: boolean, isMore: boolean) =>
        left < right === isLess && left > right === isMore
      return (
        sorted(ordinalKey(collection, m), ordinalKey(collection, n), m < n, m > n) &&
        sorted(dueKey(collection, a, m), dueKey(collection, b, m), a < b, a > b) &&
        stampOfKey(dueKey(collection, a, m)) === a &&
        ordinalOfKey(dueKey(collection, a, m)) === m &&
        ordinalOfKey(modifiedKey(collection, a, m)) === m &&
        isWithin(dueKey(collection, a, m), keysOfSort(collection, 'e')) &&
        isWithin(modifiedKey(collection, a, m), modifiedRange(collection, b, b)) === (a === b)
      )
    }),
  )
  fc.assert(
    fc.property(fc.nat(1e7), fc.uuid(), (block, tenant) => {
      const prefix = termPrefix(collectionOf({ kind: 'audit', tenant }), digest('x'))
      return blockOfKey(blockKey(prefix, block)) === block
    }),
  )
})

t.test('the agenda of a kind has all tenants, up to the bound', async () => {
  fc.assert(
    fc.property(fc.uuid(), stamp, stamp, ordinal, (tenant, due, before, ordinal) => {
      const key = agendaKey(collectionOf({ kind: 'nonce', tenant }), due, ordinal)
      return (
        collectionOfAgendaKey(key) === collectionOf({ kind: 'nonce', tenant }) &&
        isWithin(key, agendaRange('nonce', before)) === due <= before &&
        !isWithin(key, agendaRange('token', before))
      )
    }),
  )
})

t.test('a time of creation is found from every stamp up to its own', async () => {
  fc.assert(
    fc.property(stamp, stamp, ordinal, (createdUs, us, ordinal) => {
      const key = createdKey(collection, createdUs, ordinal)
      return ordinalOfKey(key) === ordinal && isWithin(key, createdFrom(collection, us)) === createdUs >= us
    }),
  )
})

t.test('one range contains exactly the keys of a collection', async t => {
  const near = collectionOf({ kind: 'token', tenant: `${tenantA.slice(0, -1)}2` })
  const keys = [
    dueKey(collection, 5, 1),
    blockKey(termPrefix(collection, liveTerm), 0),
    ordinalKey(collection, 0),
  ]
  for (const key of keys) t.ok(isWithin(key, { gte: collection, lt: collection + endOfKeys }))
  t.notOk(isWithin(ordinalKey(near, 0), { gte: collection, lt: collection + endOfKeys }))
  t.equal(garbageOfKey(garbageKey(collection)), collection)
})

t.test('no two kinds and no two tenants share a collection, and its name tells both', async t => {
  const keys = documentKinds.map(kind => collectionOf({ kind, tenant: tenantA }))
  t.equal(new Set(keys).size, documentKinds.length)
  for (const key of keys) t.equal(key.length, 23)
  const found = keys.map(collectionNamed)
  t.same(
    found,
    documentKinds.map(kind => ({ kind, tenant: tenantA })),
  )
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.uuid(),
      (a, b) =>
        a === b || collectionOf({ kind: 'token', tenant: a }) !== collectionOf({ kind: 'token', tenant: b }),
    ),
  )
  t.throws(() => collectionOf({ kind: 'token', tenant: 'not a tenant' }), TypeError)
  t.throws(() => collectionOf({ kind: 'token', tenant: tenantA.replace('1', 'A') }), TypeError)
})
