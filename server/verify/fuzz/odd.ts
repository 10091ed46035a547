import fc from 'fast-check'
import type { Schema } from './document.ts'
import {
  anyText,
  awkwardNumbers,
  awkwardSpellings,
  type Json,
  repeated,
  spelled,
  weighted,
  writeJson,
} from './texts.ts'

const nested = (open: string, depth: number, close: string) => open.repeat(depth) + close.repeat(depth)
const members = (count: number, value: Json = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))

/** Values at the bounds of a schema and beyond them, of other types, with unusual spellings, or deeply nested. */
export function oddValue(schema: Schema, usual: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const around = (bounds: readonly (number | undefined)[], make: (size: number) => Json) =>
    bounds.flatMap(bound => (bound === undefined ? [] : [Math.max(0, bound - 1), bound, bound + 1].map(make)))
  const { minLength, maxLength, minItems, maxItems } = schema
  const edges: Json[] = [
    ...around([minLength, maxLength, schema['x-max-bytes']], size => '1'.repeat(size)),
    ...around([minLength, maxLength], size => '🙂'.repeat(size)),
    ...around([schema.minimum, schema.maximum], size => size),
    ...around([minItems, maxItems], length => Array.from({ length }, () => 'x')),
    ...around([schema.maxProperties], members),
    ...(schema.propertyNames ? [{ ['n'.repeat(101)]: 'x' }, { '': 'x' }] : []),
    ...(schema.enum ? [`${schema.enum[0]} `] : []),
  ]
  return weighted<Json>(
    [edges.length > 0 ? 15 : 0, fc.constantFrom(...edges, null)],
    [4, fc.constantFrom<Json>(1, -1, 1.5, true, false, 'text', '', [], {}, [null], { a: null }, [[]], null)],
    [3, anyText],
    [5, fc.constantFrom(...[...awkwardNumbers, ...awkwardSpellings].map(spelled))],
    [1, fc.constantFrom(61, 62, 63, 64, 65, 2000).map(depth => spelled(nested('[', depth, ']')))],
    [
      1,
      fc
        .constantFrom(61, 62, 63, 64, 65, 2000)
        .map(depth => spelled(nested('{"a":', depth, '}').replace(':}', ':1}'))),
    ],
    [1, repeated('x', 201, 1001, 10_001, 50_001)],
    [
      1,
      fc
        .tuple(usual, fc.constantFrom(11, 26, 101, 1001))
        .map(([value, length]) => Array.from({ length }, () => value)),
    ],
    [1, usual.map(writeJson)],
    [
      3,
      fc
        .tuple(usual, moreMembers)
        .map(([value, more]) => spelled(writeJson(value).replace(/\}$/, () => `,${more}}`))),
    ],
    [1, fc.constantFrom(51, 500, 5000).map(count => members(count))],
  )
}

const moreMembers = fc.oneof(
  fc.tuple(anyText, anyText).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
  fc.constantFrom(
    '"__proto__":{"a":1}',
    '"a":1,"a":2',
    '"type":"card","ty\\u0070e":"bank"',
    '"toString":1,"valueOf":null',
  ),
)
