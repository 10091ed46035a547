import fc from 'fast-check'
import t from 'tap'
import { collectionNamed, collectionOf } from './collection.ts'
import { tenantA } from './port.samples.ts'
import { documentKinds } from './port.ts'

t.test('no two kinds and no two tenants share a collection, and its name tells both', async t => {
  const keys = documentKinds.map(kind => collectionOf({ kind, tenant: tenantA }))
  t.equal(new Set(keys).size, documentKinds.length)
  for (const key of keys) t.equal(key.length, 23)
  t.same(
    keys.map(collectionNamed),
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
