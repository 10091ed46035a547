import fc from 'fast-check'
import t from 'tap'
import { testRule } from '../../verify/support/test-rule.ts'
import { type Caller, decideFor } from '../access/caller.ts'
import type { Rights } from '../access/rules.ts'
import { systemRandom } from '../base/random.ts'
import type { AccessCondition, AccessRule, TokenPermission } from '../contract/types.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'
import { Keyring } from '../storage/keys/keyring.ts'
import { Records } from '../storage/records/records.ts'
import { termsOf } from './terms.ts'
import { visibleTo } from './visibility.ts'

const container = fc.constantFrom(
  '/',
  '/a/',
  '/A/b/',
  '/a/b/',
  '/a/bc/',
  '/b/',
  '/b/c/',
  '/c/',
  '/c/d/',
  '/e/',
)
const id = fc.constantFrom('one', 'two', 'three')
const permission = fc.constantFrom<TokenPermission>('token:read', 'token:search')

const condition: fc.Arbitrary<AccessCondition> = fc.oneof(
  id.map(value => ({ attribute: 'id', operator: 'equals', value }) as const),
  fc.record({
    attribute: fc.constant('container' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: container,
  }),
)
const common = {
  priority: fc.integer({ min: 1, max: 9 }),
  transform: fc.constantFrom('redact' as const, 'mask' as const, 'reveal' as const),
  permissions: fc.uniqueArray(permission, { minLength: 1 }),
}
const rule: fc.Arbitrary<AccessRule> = fc.oneof(
  fc.record({ ...common, container }),
  fc.record({ ...common, conditions: fc.array(condition, { minLength: 1, maxLength: 3 }) }),
)
const rights: fc.Arbitrary<Rights> = fc.record({
  permissions: fc.uniqueArray(permission, { maxLength: 1 }),
  rules: fc.oneof(fc.array(rule, { maxLength: 4 }), fc.array(rule, { minLength: 5, maxLength: 20 })),
})
const tokens = fc.uniqueArray(
  fc.record({ id, containers: fc.array(container, { minLength: 1, maxLength: 5 }) }),
  { selector: token => token.id, maxLength: 3 },
)

testRule('the query finds exactly the tokens for which the rules allow the permission', async t => {
  const random = systemRandom()
  await fc.assert(
    fc.asyncProperty(rights, fc.option(rights, { nil: undefined }), tokens, async (own, limit, subjects) => {
      const engine = new MemoryEngine()
      const sealed = new Records(engine, new Keyring(engine, random.bytes(32), random), random)
      const store = await sealed.createTenant(random.uuid(), 1)
      for (const subject of subjects) {
        const terms = termsOf(store, {
          ...subject,
          type: 'token',
          fingerprint_expression: '',
          created_by: 'x',
        })
        await store.commit([store.insert('token', subject, { terms })], 1)
      }
      const caller: Caller = {
        tenant: store.tenant,
        application: 'x',
        type: 'private',
        rights: own,
        ...(limit ? { limit } : {}),
      }
      const query = visibleTo(store, caller, 'token:read')
      const found = await store.find<{ id: string }>('token', query, { nowMs: 1, offset: 0, limit: 10 })
      const allowed = subjects.filter(subject => decideFor(caller, 'token:read', subject).allowed)
      t.same(found.records.map(record => record.value.id).sort(), allowed.map(subject => subject.id).sort())
      t.equal(found.total, allowed.length)
    }),
    { numRuns: 1000 },
  )
})

t.test('of up to ten containers each one counts, and with more than ten a token is not listed', async t => {
  const random = systemRandom()
  const engine = new MemoryEngine()
  const sealed = new Records(engine, new Keyring(engine, random.bytes(32), random), random)
  const store = await sealed.createTenant(random.uuid(), 1)
  const caller: Caller = {
    tenant: store.tenant,
    application: 'x',
    type: 'private',
    rights: {
      permissions: [],
      rules: ['/a/', '/b/'].map((path, index) => ({
        priority: index + 1,
        container: path,
        transform: 'mask',
        permissions: ['token:read'],
      })),
    },
  }
  const add = async (subject: { readonly id: string; readonly containers: readonly string[] }) => {
    const terms = termsOf(store, { ...subject, type: 'token', fingerprint_expression: '', created_by: 'x' })
    await store.commit([store.insert('token', subject, { terms })], 1)
  }
  for (let count = 1; count <= 11; count++) {
    const containers = Array.from({ length: count }, (_, at) => `/${at % 2 ? 'a' : 'b'}/${at}/`)
    await add({ id: `${count}`, containers })
    for (const at of containers.keys())
      await add({ id: `${count} but ${at}`, containers: containers.with(at, '/c/') })
  }
  const query = visibleTo(store, caller, 'token:read')
  const { records } = await store.find<{ id: string }>('token', query, { nowMs: 1, offset: 0, limit: 100 })
  const found = records.map(({ value }) => Number(value.id)).sort((a, b) => a - b)
  t.same(found, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})
