import t from 'tap'
import type { AccessRule, TokenPermission } from '../contract/types.ts'
import { deciderOf } from './rules.ts'

/** What the suite cannot tell from what it tests of rules (ACC, AUT). */
const read: TokenPermission = 'token:read'
const reveal = { priority: 1, transform: 'reveal', permissions: [read] } as const
const decide = (
  rules: readonly AccessRule[],
  permissions: readonly TokenPermission[],
  ...containers: string[]
) => deciderOf({ rules, permissions }, read)({ id: 'the-token', containers })

t.test('a permission held directly is a last rule on / that masks', async t => {
  const rules = [{ ...reveal, container: '/a/' }]
  t.same(decide([], [read], '/a/'), { allowed: true, transform: 'mask' })
  t.same(decide(rules, [read], '/a/'), { allowed: true, transform: 'reveal' })
  t.same(decide(rules, [read], '/b/'), { allowed: true, transform: 'mask' })
})

t.test('all conditions of a rule must hold, for the same container', async t => {
  const withId = (value: string) => [
    {
      ...reveal,
      conditions: [
        { attribute: 'id', operator: 'equals', value },
        { attribute: 'container', operator: 'starts_with', value: '/a/' },
      ] as const,
    },
  ]
  t.ok(decide(withId('the-token'), [], '/a/b/').allowed)
  t.notOk(decide(withId('the-token'), [], '/b/').allowed)
  t.notOk(decide(withId('the-token'), [], '/a/', '/b/').allowed)
  t.notOk(decide(withId('THE-TOKEN'), [], '/a/').allowed, 'ids are exact')
})

t.test('a subject without containers is covered by nothing', async t => {
  t.notOk(decide([{ ...reveal, container: '/' }], []).allowed)
})
