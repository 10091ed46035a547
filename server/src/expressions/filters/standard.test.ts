import fc from 'fast-check'
import t from 'tap'
import type { JsonValue } from '../../base/json/json.ts'
import { type FilterCase, refusal, testExpressions } from '../_fixture.ts'
import { allFilters } from './index.ts'

/** Edge cases of the standard filters. liquid.test.ts compares them with liquidjs. */
const expressions = testExpressions()
const evaluate = (template: string, data: JsonValue) => expressions.evaluate(template, { data })

const names = `abs append at_least at_most base64_decode base64_encode base64_url_safe_decode
  base64_url_safe_encode capitalize ceil compact concat date default divided_by downcase escape escape_once find
  find_index first floor has join last lstrip map minus modulo newline_to_br plus prepend reject remove remove_first
  remove_last replace replace_first replace_last reverse round rstrip size slice sort sort_natural split squish strip
  strip_html strip_newlines sum times truncate truncatewords uniq upcase url_decode url_encode where`

t.test('every standard filter is supported', async t => {
  for (const name of names.split(/\s+/)) t.ok(allFilters.has(name), name)
})

const cases: readonly FilterCase[] = [
  // Numbers
  ['{{ data | plus: 1 }}', '0x10', 1],
  ['{{ data | plus: 1 }}', ' 41 ', 42],
  ['{{ data | plus: 1 }}', null, 1],
  ['{{ data | plus: 1 }}', true, 2],
  ['{{ data | plus: 1 }}', [5], 1],
  ['{{ data | plus: 1 }}', '9'.repeat(500), 1],
  ['{{ data | times: 0 }}', -5, 0],
  // Decimals, without the noise of binary fractions
  ['{{ data | times: 100 }}', 0.0725, 7.25],
  ['{{ data | plus: 0.2 }}', 0.1, 0.3],
  ['{{ data | minus: 0.1 }}', 0.3, 0.2],
  ['{{ data | modulo: 12 }}', 183.357, 3.357],
  ['{{ data | modulo: 5 }}', -3, 2],
  ['{{ data | modulo: -5 }}', 3, -2],
  ['{{ data | sum }}', [0.1, 0.2, 0.3], 0.6],
  ['{{ data | sum }}', [0.3, 0.2, 0.1], 0.6],
  ['{{ data | round: 2 }}', 1.005, 1.01],
  ['{{ data | times: data }}', 9007199254740991, 9007199254740991 ** 2],
  ['{{ data | round }}', -2.5, -3],
  ['{{ data | round: -2 }}', 1250, 1300],
  ['{{ data | round: 2 }}', 1e21, 1e21],
  ['{{ data | sum }}', [1, '2', 'x', null, 1.5], 4.5],
  // "Adds a number to another number." Text that is no number is not documented, so it is as in Ruby's Liquid.
  ['{{ data | plus: 1 }}', '12abc', 13],
  ['{{ data | plus: 1 }}', ' -7 items', -6],
  ['{{ data | plus: 1 }}', '12.5x', 13],
  ['{{ data | plus: 1 }}', 'abc12', 1],
  ['{{ data | plus: 1 }}', '1.5', 2.5],
  // Text, by characters
  ['{{ data | slice: -1 }}', 'ab😀', '😀'],
  ['{{ data | slice: 1, 2 }}', ['a', 'b', 'c', 'd'], ['b', 'c']],
  ['{{ data | slice: -9 }}', 'abc', ''],
  ['{{ data | slice: 1, -1 }}', 'abc', ''],
  ['{{ data | truncate: 4 }}', '😀😀😀😀😀', '😀...'],
  ['{{ data | capitalize }}', 'ÉCOLE', 'École'],
  ['{{ data | split: "" }}', 'a😀', ['a', '😀']],
  ['{{ data | replace: "", "-" }}', 'a😀b', 'a-😀-b'],
  ['{{ data | replace: "$", "$&" }}', 'a$b', 'a$&b'],
  ['{{ data | replace_first: "a", "$1" }}', 'aa', '$1a'],
  ['{{ data | append: 1.5 }}', null, '1.5'],
  ['{{ data | append: data }}', { a: 1 }, '{"a":1}{"a":1}'],
  ['{{ data | upcase }}', ['a'], '["A"]'],
  // Lists
  ['{{ data | sort }}', [3, null, 1], [1, 3, null]],
  ['{{ data | sort }}', ['b', 'B', 'a'], ['B', 'a', 'b']],
  ['{{ data | sort_natural }}', ['b', 'B', 'a'], ['a', 'b', 'B']],
  ['{{ data | sort: "a.b" | map: "a.b" }}', [{ a: { b: 2 } }, { a: { b: 1 } }, {}], [1, 2, null]],
  ['{{ data | uniq }}', [1, '1', 1, null, null], [1, '1', null]],
  ['{{ data | uniq: "a" }}', [{ a: 1, b: 1 }, { a: 1 }], [{ a: 1, b: 1 }]],
  ['{{ data | compact: "a" }}', [{ a: 1 }, {}], [{ a: 1 }]],
  ['{{ data | join: ", " }}', [1, [2, 3], { a: 4 }, null], '1, [2,3], {"a":4}, '],
  ['{{ data | join }}', 'text', 'text'],
  ['{{ data | first }}', 'é😀', 'é'],
  ['{{ data | last }}', 'é😀', '😀'],
  ['{{ data | first }}', { a: 1 }, null],
  ['{{ data | last }}', [], null],
  ['{{ data | concat: "x" }}', null, ['x']],
  ['{{ data | reverse }}', 'ab', ['ab']],
  ['{{ data | where: "a", nil }}', [{ a: null }, { a: 1 }, {}], [{ a: null }, {}]],
  ['{{ data | where: "a", empty }}', [{ a: '' }, { a: 1 }], [{ a: '' }]],
  ['{{ data | find: "a", 9 }}', [{ a: 1 }], null],
  ['{{ data | find_index: "a", 9 }}', [{ a: 1 }], null],
  ['{{ data | map: "size" }}', ['ab', [1], { a: 1 }], [2, 1, 1]],
  ['{{ data | size }}', 12, 0],
  // Alphabets
  ['{{ data | url_encode | url_decode }}', "ä b&c='(😀)", "ä b&c='(😀)"],
  ['{{ data | base64_encode | base64_decode }}', 'ä😀', 'ä😀'],
  ['{{ data | base64_url_safe_encode }}', '~~~???', 'fn5-Pz8_'],
  // "Encodes a string to URL-safe Base64 format": the documented example has padding.
  ['{{ data | base64_url_safe_encode }}', 'one two three', 'b25lIHR3byB0aHJlZQ=='],
  ['{{ data | base64_url_safe_decode }}', 'b25lIHR3byB0aHJlZQ==', 'one two three'],
  ['{{ data | base64_url_safe_decode }}', 'b25lIHR3byB0aHJlZQ', 'one two three'],
  ['{{ data | base64_url_safe_decode }}', 'fn5-Pz8_', '~~~???'],
  ['{{ data | base64_decode }}', 'Y\nQ==', 'a'],
  ['{{ data | strip_html }}', 'a<b', 'a<b'],
  ['{{ data | strip_html }}', '<script>1<script>2</script>3', '3'],
  // Fallbacks
  ['{{ data | default: 1 }}', '', 1],
  ['{{ data | default: 1 }}', {}, 1],
  ['{{ data | default: 1 }}', [], 1],
  ['{{ data.e | default: "x" }}', { e: {} }, 'x'],
  ['{{ data | default: 1, allow_false: true }}', {}, 1],
  ['{{ data | default: 1 }}', { a: null }, { a: null }],
  ['{{ data | default: 1 }}', 0, 0],
  ['{{ data | default: 1, allow_false: true }}', false, false],
  ['{{ data | default: 1, allow_false: true }}', null, 1],
  ['{{ data | default: 1, allow_false: false }}', false, 1],
]

t.test('edge cases of the standard filters', async t => {
  for (const [template, data, value] of cases)
    t.strictSame(evaluate(template, data), value, `${JSON.stringify(data)} ${template}`)
})

t.test('divided_by rounds down if both numbers are whole', async t => {
  const rows: readonly (readonly [template: string, data: JsonValue, value: number])[] = [
    ['{{ data | divided_by: 4 }}', 16, 4],
    ['{{ data | divided_by: 3 }}', 5, 1],
    ['{{ data | divided_by: 2 }}', -7, -4],
    ['{{ data | divided_by: -2 }}', 7, -4],
    ['{{ data | divided_by: -2 }}', -7, 3],
    ['{{ data | divided_by: 2 }}', 1, 0],
    ['{{ data | divided_by: 2 }}', '7', 3],
    ['{{ data | divided_by: "2" }}', 7, 3],
    ['{{ data | divided_by: 2 }}', '7.5', 3.75],
    ['{{ data | divided_by: 2 }}', 7.5, 3.75],
    ['{{ data | divided_by: 2.5 }}', 5, 2],
    ['{{ data | divided_by: 0.3 }}', 3, 10],
    ['{{ data | divided_by: 7.0 }}', 20, 20 / 7],
    ['{{ data | divided_by: 7.0 }}', '20', 20 / 7],
    ['{{ data | divided_by: "7.0" }}', 20, 20 / 7],
    ['{{ data | divided_by: 7 }}', '20.0', 20 / 7],
    ['{{ data | times: 1.0 | divided_by: 7 }}', 20, 20 / 7],
    ['{{ data | times: 1 | divided_by: 7 }}', 20, 2],
    ['{{ data | times: 2.5 | divided_by: 2 }}', 2, 2.5],
    ['{{ data | times: 1.0 | floor | divided_by: 7 }}', 20, 2],
    ['{{ data | divided_by: 7, false }}', 20, 20 / 7],
    ['{{ data | divided_by: 7, true }}', 20.5, 2],
    ['{{ data | divided_by: 7.0, true }}', 20, 2],
    ['{{ data | divided_by: 3 }}', 'x', 0],
    ['{{ data | divided_by: 3 }}', null, 0],
    ['{{ data | divided_by: 9007199254740991 }}', 9007199254740990, 0],
  ]
  for (const [template, data, value] of rows)
    t.strictSame(evaluate(template, data), value, `${JSON.stringify(data)} ${template}`)
  const assigned =
    '{% assign by = 7.0 %}{{ data | divided_by: by }}{% assign by = 7 %} {{ data | divided_by: by }}'
  t.equal(evaluate(assigned, 20), `${20 / 7} 2`, 'a variable')
})

t.test('divided_by and modulo are consistent', async () => {
  const whole = fc.integer({ min: -1_000_000, max: 1_000_000 })
  fc.assert(
    fc.property(
      whole,
      whole.filter(divisor => divisor !== 0),
      (number, divisor) => {
        const quotient = Number(evaluate(`{{ data | divided_by: ${divisor} }}`, number))
        const rest = Number(evaluate(`{{ data | modulo: ${divisor} }}`, number))
        return quotient === Math.floor(number / divisor) && quotient * divisor + rest === number
      },
    ),
  )
})

t.test('values that the standard filters refuse', async t => {
  const refused: readonly (readonly [template: string, data: JsonValue])[] = [
    ['{{ data | url_decode }}', '%zz'],
    ['{{ data | base64_decode }}', 'a'],
    ['{{ data | base64_decode }}', 'a-_='],
    ['{{ data | base64_decode }}', '/w=='],
    ['{{ data | modulo: 0 }}', 5],
    ['{{ data | divided_by: 0 }}', 0],
    ['{{ data | divided_by: 0 }}', 7],
    ['{{ data | divided_by: 0.0 }}', 7],
    ['{{ data | divided_by: 0, true }}', 7],
    ['{{ data | divided_by: data }}', 'x'],
    ['{{ data | plus: data }}', 1.7e308],
  ]
  for (const [template, data] of refused)
    t.equal(refusal(() => evaluate(template, data)).fault, 'value', template)
})
