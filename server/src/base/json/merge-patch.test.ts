import fc from 'fast-check'
import t from 'tap'
import { testRule } from '../../../verify/support/test-rule.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { mergePatch } from './merge-patch.ts'

/** RFC 7386, appendix A. */
const examples: readonly [original: JsonValue, patch: JsonValue, result: JsonValue][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

t.test('the examples of RFC 7386', async t => {
  for (const [original, patch, result] of examples) {
    t.strictSame(
      mergePatch(original, patch),
      result,
      `${JSON.stringify(original)} + ${JSON.stringify(patch)}`,
    )
  }
})

/** The pseudo code of the RFC's section 2, over lists of members instead of objects. */
function naive(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  let members: [string, JsonValue][] = isObject ? Object.entries(target) : []
  for (const [name, value] of Object.entries(patch)) {
    const before = members.find(([other]) => other === name)
    members = members.filter(([other]) => other !== name)
    if (value !== null) members.push([name, naive(before?.[1], value)])
  }
  return Object.fromEntries(members)
}

const names = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString')
const { json } = fc.letrec<{ json: JsonValue }>(tie => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, 1, 'x', true),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(names, tie('json'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  ),
}))

testRule('a patch gives the same result as a naive model, and does not change its arguments', async t => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const before = JSON.stringify([target, patch])
      t.same(mergePatch(target, patch), naive(target, patch))
      t.equal(JSON.stringify([target, patch]), before)
    }),
    { numRuns: 1000 },
  )
})
