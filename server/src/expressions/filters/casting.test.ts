import t from 'tap'
import type { JsonValue } from '../../base/json/json.ts'
import { type FilterCase, refusal, testExpressions } from '../_fixture.ts'

const expressions = testExpressions()
const evaluate = (template: string, data: JsonValue) => expressions.evaluate(template, { data })

const cases: readonly FilterCase[] = [
  ['{{ data | to_boolean }}', 'true', true],
  ['{{ data | to_boolean }}', 'FALSE', false],
  ['{{ data | to_boolean }}', true, true],
  ['{{ data | to_boolean }}', null, null],
  ['{{ data | to_number }}', '42', 42],
  ['{{ data | to_number }}', '2.5', 2.5],
  ['{{ data | to_number }}', '-1e3', -1000],
  ['{{ data | to_number }}', 7, 7],
  ['{{ data | to_number }}', null, null],
  ['{{ data | to_string }}', 2.5, '2.5'],
  ['{{ data | to_string }}', true, 'true'],
  ['{{ data | to_string }}', 'foo', 'foo'],
  ['{{ data | to_string }}', null, null],
  ['{{ data | stringify }}', { color: 'red', price: 19.95 }, '{"color":"red","price":19.95}'],
  ['{{ data | stringify }}', [{ b: 1 }, { a: 2 }], '[{"b":1},{"a":2}]'],
  ['{{ data | stringify }}', 'The Lord of the Rings', 'The Lord of the Rings'],
  ['{{ data | stringify }}', 8.99, '8.99'],
  ['{{ data | stringify }}', false, 'false'],
  ['{{ data | stringify }}', null, null],
  ['{{ data | pad_left: 6, "0" }}', '1234', '001234'],
  ['{{ data | pad_left: 6, "X" }}', '1234', 'XX1234'],
  ['{{ data | pad_left: 4, "0" }}', '1234', '1234'],
  ['{{ data | pad_left: 2, "0" }}', '1234', '1234'],
  ['{{ data | pad_left: 2, "0" }}', 3, '03'],
  ['{{ data | pad_left: 3, "😀" }}', '😀', '😀😀😀'],
  ['{{ data | pad_left: 6, "0" }}', null, null],
  ['{{ data | pad_right: 6, "0" }}', '1234', '123400'],
  ['{{ data | pad_right: 6, "X" }}', '1234', '1234XX'],
  ['{{ data | pad_right: 2, "0" }}', '1234', '1234'],
  ['{{ data | pad_right: 6, "0" }}', null, null],
]

t.test('results of casts and pads', async t => {
  for (const [template, data, value] of cases)
    t.strictSame(evaluate(template, data), value, `${JSON.stringify(data)} ${template}`)
})

const notBooleans: readonly JsonValue[] = ['yes', '1', '', 1, 0, {}, []]
const notNumbers: readonly JsonValue[] = [
  ...['', ' 1', '1 ', '1.', '.5', '0x10', '+1', '01', 'Infinity', 'NaN', '1,000', '-', '1e'],
  ...[true, {}, []],
]

t.test('values that casts and pads refuse', async t => {
  const refused: readonly (readonly [template: string, data: JsonValue])[] = [
    ...notBooleans.map(data => ['{{ data | to_boolean }}', data] as const),
    ...notNumbers.map(data => ['{{ data | to_number }}', data] as const),
    ['{{ data | to_number }}', '12345678901234567890'],
    ['{{ data | to_number }}', '1e400'],
    ['{{ data | to_string }}', { a: 1 }],
    ['{{ data | to_string }}', []],
    ['{{ data | pad_left: 6, "00" }}', '1234'],
    ['{{ data | pad_left: 6, "" }}', '1234'],
    ['{{ data | pad_left: -6, "0" }}', '1234'],
    ['{{ data | pad_right: 6, "0" }}', ['1234']],
  ]
  for (const [template, data] of refused)
    t.equal(refusal(() => evaluate(template, data)).fault, 'value', `${JSON.stringify(data)} ${template}`)
})
