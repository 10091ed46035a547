import fc from 'fast-check'
import t from 'tap'
import type { JsonValue } from '../../base/json/json.ts'
import { type FilterCase, refusal, testExpressions } from '../_fixture.ts'

const expressions = testExpressions()
const evaluate = (template: string, data: JsonValue) => expressions.evaluate(template, { data })

const card = '3622-7206-2716-5567'
const bare = '3622720627165567'

const cases: readonly FilterCase[] = [
  ['{{ data | last4 }}', '36227206271667', '1667'],
  ['{{ data | slice: 12, 2 | last4 }}', '36227206271667', '67'],
  ['{{ data | last4 }}', '', ''],
  ['{{ data | last4 }}', 123456, '3456'],
  ['{{ data | last4 }}', 'ab😀cd😀', '😀cd😀'],
  ['{{ data | last4 }}', null, null],

  ['{{ data | reveal_last: 4 }}', '123-45-6789', 'XXX-XX-6789'],
  ['{{ data | reveal_last: 4 }}', '36227206271667', 'XXXXXXXXXX1667'],
  ['{{ data | reveal_last: 4 }}', 'Sensitive Value', 'XXXXXXXXXXXalue'],
  ['{{ data | reveal_last: 6 }}', '36227206271667', 'XXXXXXXX271667'],
  ["{{ data | reveal_last: 3, '#' }}", '36227206271667', '###########667'],
  ["{{ data | reveal_last: 4, '#' }}", '4242-4242-4242-4242', '####-####-####-4242'],
  ['{{ data | reveal_last: 4 }}', '12345', 'X2345'],
  ['{{ data | reveal_last: 4 }}', '1234', 'XXXX'],
  ['{{ data | reveal_last: 4 }}', '123', 'XXX'],
  ['{{ data | reveal_last: 4 }}', '1-2', 'X-X'],
  ['{{ data | reveal_last: 0 }}', '123-45', 'XXX-XX'],
  ['{{ data | reveal_last: 4 }}', '----6789', 'XXXXXXXX'],
  ['{{ data | reveal_last: 4 }}', 'XXXX6789', 'XXXXXXXX'],
  ['{{ data | reveal_last: 4 }}', '', ''],
  ["{{ data | reveal_last: '4' }}", '123-45-6789', 'XXX-XX-6789'],
  ['{{ data | reveal_last: 4 }}', 36227206271667, 'XXXXXXXXXX1667'],
  ['{{ data | reveal_last: 4 }}', null, null],
  ["{{ data | reveal_last: 2, '😀' }}", 'secret😀!', '😀😀😀😀😀😀😀!'],

  ['{{ data | reveal: 6 }}', card, '3622-7XXXXXXXXXXXXX'],
  ['{{ data | reveal: 7, 5 }}', card, '3622-72XXXXXXX-5567'],
  ["{{ data | reveal: 7, 5, '#' }}", card, '3622-72#######-5567'],
  ["{{ data | reveal: 7, 4, '#', '-' }}", card, '3622-72##-####-5567'],
  ['{{ data | reveal: 10, 9 }}', card, 'XXXXXXXXXXXXXXXXXXX'],
  ["{{ data | reveal: 10, 9, 'X', '-' }}", card, 'XXXX-XXXX-XXXX-XXXX'],
  ['{{ data | reveal }}', 'abc', 'XXX'],
  ["{{ data | reveal: 0, 0, '*', 'ab' }}", 'abba', '****'],
  ['{{ data | reveal: 100, 0 }}', 'abc', 'XXX'],
  ['{{ data | reveal: 1, 1 }}', null, null],

  ["{{ data | card_mask: 'false', 'false', 'X', '-' }}", bare, 'XXXXXXXXXXXXXXXX'],
  ["{{ data | card_mask: 'true', 'false', 'X', '-' }}", bare, '36227206XXXXXXXX'],
  ["{{ data | card_mask: 'true', 'true', '#', '-' }}", bare, '36227206####5567'],
  ["{{ data | card_mask: 'false', 'true', 'X', '-' }}", bare, 'XXXXXXXXXXXX5567'],
  ["{{ data | card_mask: false, false, 'X', '-' }}", card, 'XXXX-XXXX-XXXX-XXXX'],
  ["{{ data | card_mask: true, false, 'X', '-' }}", card, '3622-7206-XXXX-XXXX'],
  ["{{ data | card_mask: true, true, '#', '-' }}", card, '3622-7206-####-5567'],
  ["{{ data | card_mask: false, true, 'X', '-' }}", card, 'XXXX-XXXX-XXXX-5567'],
  ['{{ data | card_mask: true, true }}', '378282246310005', '378282XXXXX0005'],
  ['{{ data | card_mask }}', card, 'XXXXXXXXXXXXXXXXXXX'],
  ['{{ data | card_mask: true, true }}', '1234567890', 'XXXXXXXXXX'],
  ["{{ data | card_mask: true, true, 'X', '-' }}", '12345-67890', 'XXXXX-XXXXX'],
  ['{{ data | card_mask: true, true }}', '12345678901', '123456X8901'],

  ['{{ data | card_bin }}', '4242424242424242', '42424242'],
  ['{{ data | card_bin }}', '378282246310005', '378282'],
  ["{{ data | card_bin: '-' }}", '4242-4242-4242-4242', '42424242'],
  ['{{ data | card_bin }}', null, null],
]

t.test('results of masks', async t => {
  for (const [template, data, value] of cases) t.equal(evaluate(template, data), value, `${data} ${template}`)
})

t.test('values that masks refuse', async t => {
  const refused: readonly [template: string, data: JsonValue][] = [
    ['{{ data | reveal_last: 4 }}', { number: '4242' }],
    ['{{ data | reveal_last: 4 }}', ['4242']],
    ['{{ data | reveal_last: -1 }}', '4242'],
    ['{{ data | reveal_last: 1.5 }}', '4242'],
    ['{{ data | reveal_last: nil }}', '4242'],
    ["{{ data | reveal_last: 'four' }}", '4242'],
    ["{{ data | reveal_last: 4, '' }}", '4242'],
    ["{{ data | reveal_last: 4, 'XX' }}", '4242'],
    ['{{ data | reveal_last: 4, 0 }}', '4242'],
    ['{{ data | reveal: 1, 1, "X", 5 }}', '4242'],
    ["{{ data | card_mask: 'yes' }}", '4242424242424242'],
    ['{{ data | card_bin }}', '424242'],
    ['{{ data | last4 }}', { a: 1 }],
  ]
  for (const [template, data] of refused)
    t.equal(refusal(() => evaluate(template, data)).fault, 'value', template)
})

/** Values as people tokenize them: digits, letters of several scripts, separators. */
const values = fc.string({ unit: fc.constantFrom(...'0123456789abcXYZ-- .é漢😀'), maxLength: 30 })
const counts = fc.integer({ min: 0, max: 12 })

t.test('reveal_last keeps the length and reveals only the last characters and hyphens', async () => {
  fc.assert(
    fc.property(values, counts, (data, count) => {
      const [before, after] = [
        Array.from(data),
        Array.from(String(evaluate(`{{ data | reveal_last: ${count} }}`, data))),
      ]
      if (after.length !== before.length) return false
      const shown = before.length > count ? before.length - count : before.length
      return after.every((character, index) => index >= shown || character === 'X' || character === '-')
    }),
  )
})

t.test('reveal reveals only the requested characters, and never the whole text', async () => {
  const property = fc.property(
    values,
    counts,
    counts,
    fc.constantFrom('', '-', '- .'),
    (data, first, last, keep) => {
      const masked = evaluate(`{{ data | reveal: ${first}, ${last}, '*', '${keep}' }}`, data)
      const [before, after] = [Array.from(data), Array.from(String(masked))]
      if (after.length !== before.length) return false
      if (data !== '' && masked === data) return false
      const fits = before.length > first + last
      return after.every((character, index) => {
        const asked = fits && (index < first || index >= before.length - last)
        return asked || character === '*' || keep.includes(character)
      })
    },
  )
  fc.assert(property)
})

t.test('card_mask hides all digits between the BIN and the last four', async () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 24 })
  fc.assert(
    fc.property(digits, fc.boolean(), fc.boolean(), (data, bin, last4) => {
      const masked = String(evaluate(`{{ data | card_mask: ${bin}, ${last4}, '#' }}`, data))
      const head = bin ? (data.length < 16 ? 6 : 8) : 0
      const tail = last4 ? 4 : 0
      const hidden = data.length > head + tail ? data.length - head - tail : data.length
      return masked.length === data.length && masked.split('#').length - 1 === hidden
    }),
  )
})
