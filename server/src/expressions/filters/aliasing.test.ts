import fc from 'fast-check'
import t from 'tap'
import type { JsonValue } from '../../base/json/json.ts'
import { refusal, testExpressions } from '../_fixture.ts'
import { randomCharacters } from './aliasing.ts'

const expressions = testExpressions()
const evaluate = (template: string, data: JsonValue) => expressions.evaluate(template, { data })

const cases: readonly [template: string, data: JsonValue, format: RegExp][] = [
  ['{{ data | alias_preserve_format }}', '123-45-6789', /^\d{3}-\d{2}-\d{4}$/],
  ['{{ data | alias_preserve_format: 0, 4 }}', '111-22-3333', /^\d{3}-\d{2}-3333$/],
  ['{{ data | alias_preserve_format }}', 'ABC12345def67890', /^[A-Z]{3}\d{5}[a-z]{3}\d{5}$/],
  ['{{ data | alias_preserve_format: 3 }}', 'ABC12345DEF67890', /^ABC\d{5}[A-Z]{3}\d{5}$/],
  ['{{ data | alias_preserve_format: 3, 5 }}', 'ABC12345DEF67890', /^ABC\d{5}[A-Z]{3}67890$/],
  ['{{ data | alias_preserve_format }}', 'Żółw, 漢字 😀', /^[A-Z][a-z]{3}, [a-z]{2} 😀$/u],
  ['{{ data | alias_preserve_format }}', 4242424242424242, /^\d{16}$/],
  ['{{ data | alias_preserve_length }}', 'ABC12345DEF67890', /^[a-z0-9]{16}$/],
  ['{{ data | alias_preserve_length: 3, 5 }}', 'ABC12345DEF67890', /^ABC[a-z0-9]{8}67890$/],
  ['{{ data | alias_preserve_length }}', 'a-b 😀', /^[a-z0-9]{5}$/],
  [
    "{{ data | split: '@' | first | alias_preserve_length }}@{{ data | split: '@' | last }}",
    'john.doe@example.com',
    /^[a-z0-9]{8}@example\.com$/,
  ],
  ['{{ data | alias_card }}', '3622720627165567', /^\d{16}$/],
  ['{{ data | alias_card }}', '3622-7206-2716-5567', /^\d{4}-\d{4}-\d{4}-\d{4}$/],
  ["{{ data | alias_card: 'true', 'false' }}", '3622720627165567', /^36227206\d{8}$/],
  ['{{ data | alias_card: true, true }}', '3622 7206 2716 5567', /^3622 7206 \d{4} 5567$/],
  ['{{ data | alias_card: false, true }}', '378282246310005', /^\d{11}0005$/],
  ['{{ data | alias_card: true, true }}', '378282246310005', /^378282\d{5}0005$/],
]

t.test('aliases have the requested format and differ from the text', async t => {
  for (const [template, data, format] of cases) {
    const alias = String(evaluate(template, data))
    t.match(alias, format, template)
    t.not(alias, String(data), template)
  }
  t.equal(evaluate('{{ data | alias_preserve_format }}', null), null)
  t.equal(evaluate('{{ data | alias_preserve_length }}', null), null)
  t.equal(evaluate('{{ data | alias_card }}', null), null)
})

t.test('aliases that would equal the text, and unsuitable values, are refused', async t => {
  const refused: readonly [template: string, data: JsonValue][] = [
    ['{{ data | alias_preserve_format: 2, 2 }}', '1234'],
    ['{{ data | alias_preserve_format: 9 }}', '1234'],
    ['{{ data | alias_preserve_format }}', '--.--'],
    ['{{ data | alias_preserve_format: 4, 4 }}', '1234----1234'],
    ['{{ data | alias_preserve_format }}', ''],
    ['{{ data | alias_preserve_length: 4 }}', '1234'],
    ['{{ data | alias_preserve_format }}', { a: 1 }],
    ['{{ data | alias_preserve_format: -1 }}', '1234'],
    ['{{ data | alias_card: true, true }}', '12345678901'],
    ['{{ data | alias_card }}', '4242x4242'],
    ['{{ data | alias_card }}', ''],
    ['{{ data | alias_card: 1 }}', '4242424242424242'],
    ['{{ data | alias_card: false, false, 1 }}', '4242424242424242'],
    ['{{ data | alias_card: true, true, false }}', '12345678901'],
  ]
  for (const [template, data] of refused)
    t.equal(refusal(() => evaluate(template, data)).fault, 'value', `${template} of ${JSON.stringify(data)}`)
  t.match(evaluate('{{ data | alias_card: true, true }}', '123456789012'), /^123456\d{2}9012$/, 'control')
})

t.test('a broken random generator causes an error, not an endless loop', async t => {
  const zeros = testExpressions({ random: length => new Uint8Array(length) })
  t.equal(zeros.render('{{ data | alias_preserve_format }}', { data: '12' }), '00', 'control')
  t.equal(refusal(() => zeros.render('{{ data | alias_preserve_format }}', { data: '00' })).fault, 'value')
  const none = testExpressions({ random: () => new Uint8Array() })
  t.equal(none.render('{{ data | alias_preserve_format }}', { data: '12' }), '00')
})

const values = fc.string({
  unit: fc.constantFrom(...'0123456789abcXYZ-- .é漢😀'),
  minLength: 1,
  maxLength: 30,
})
const counts = fc.integer({ min: 0, max: 6 })

t.test('an alias keeps the format, reveals the requested characters, and differs from the text', async () => {
  const kindOf = (character: string) => {
    if (/\p{N}/u.test(character)) return 'digit'
    if (/\p{Lu}/u.test(character)) return 'upper'
    return /\p{L}/u.test(character) ? 'lower' : character
  }
  const property = fc.property(values, counts, counts, (data, first, last) => {
    const before = Array.from(data)
    const hidden = before.slice(first, Math.max(before.length - last, first))
    fc.pre(hidden.some(character => kindOf(character) !== character))
    const alias = String(evaluate(`{{ data | alias_preserve_format: ${first}, ${last} }}`, data))
    const after = Array.from(alias)
    return (
      alias !== data &&
      after.length === before.length &&
      after.every((character, index) => {
        const revealed = index < first || index >= before.length - last
        const original = before[index] ?? ''
        return revealed ? character === original : kindOf(character) === kindOf(original)
      })
    )
  })
  fc.assert(property)
})

t.test('an aliased card passes the Luhn check, or never does, and keeps its separators', async () => {
  const luhn = (number: string) => {
    const sum = Array.from(number)
      .reverse()
      .map((digit, place) => Number(digit) * (place % 2 === 1 ? 2 : 1))
      .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
    return sum % 10 === 0
  }
  const cards = fc
    .tuple(fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 19 }), fc.boolean())
    .map(([digits, grouped]) => (grouped ? digits.replace(/(.{4})(?=.)/g, '$1-') : digits))
  fc.assert(
    fc.property(cards, fc.boolean(), fc.boolean(), fc.boolean(), (data, bin, last4, passes) => {
      const alias = String(evaluate(`{{ data | alias_card: ${bin}, ${last4}, ${passes} }}`, data))
      return (
        alias !== data &&
        luhn(alias.replaceAll('-', '')) === passes &&
        alias.replace(/\d/g, '0') === data.replace(/\d/g, '0') &&
        (!last4 || alias.endsWith(data.replaceAll('-', '').slice(-1)))
      )
    }),
  )
})

t.test('the digit that keeps an alias from passing is any of the nine that do', async t => {
  const seen = new Set<string>()
  for (let draw = 0; draw < 500; draw++)
    seen.add(String(evaluate('{{ data | alias_card: true, true, false }}', '123456789012')).slice(6, 8))
  // Of the hundred pairs of hidden digits ten pass.
  t.ok(seen.size > 80 && seen.size <= 90, `${seen.size}`)
})

t.test('every character of an alphabet is equally likely', async t => {
  // The bytes that must be discarded come first.
  const all = Uint8Array.from({ length: 256 }, (_, index) => 255 - index)
  for (const alphabet of [
    '0123456789',
    'abcdefghijklmnopqrstuvwxyz',
    'abcdefghijklmnopqrstuvwxyz0123456789',
  ]) {
    const counted = new Map<string, number>()
    let at = 0
    const random = (length: number) => Uint8Array.from({ length }, () => all[at++ % 256] ?? 0)
    // The number of usable bytes in three rounds of all 256.
    const draws = 3 * (256 - (256 % alphabet.length))
    for (const character of randomCharacters(Array(draws).fill(alphabet), random))
      counted.set(character, (counted.get(character) ?? 0) + 1)
    t.equal(counted.size, alphabet.length)
    t.same(new Set(counted.values()), new Set([3 * Math.floor(256 / alphabet.length)]))
  }
})
