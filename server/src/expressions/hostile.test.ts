import fc from 'fast-check'
import t from 'tap'
import type { JsonValue } from '../base/json/json.ts'
import { refusal, testExpressions } from './_fixture.ts'
import { ExpressionError } from './engine.ts'
import { allFilters } from './filters/index.ts'
import { growthCases } from './hostile.growth.cases.ts'
import { endings, loop } from './hostile.model.ts'
import { searchCases } from './hostile.search.cases.ts'

const expressions = testExpressions()

t.test('every hostile template exceeds a counted limit, and its harmless control works', async t => {
  for (const [title, hostile] of Object.entries({ ...growthCases, ...searchCases })) {
    const { template, data = 1, ends = 'steps', control } = hostile
    t.ok(template.length <= 10_000, `${title}: the template is not too long`)
    t.match(refusal(() => expressions.render(template, { data })).problem, endings[ends], title)
    t.equal(expressions.render(control[0], { data: control[1] }), control[2], `${title}: control`)
  }
})

t.test('templates that look hostile but take linear time are evaluated', async t => {
  const linear: readonly [title: string, template: string, data: JsonValue, text: string][] = [
    ['openers without closers', '{{ data | strip_html | size }}', '<script'.repeat(9_000), '63000'],
    ['comments without ends', '{{ data | strip_html | size }}', '<!--<style<'.repeat(6_000), '66000'],
    ['zeros in a date format', '{{ "now" | date: data | size }}', `%${'0'.repeat(60_000)}`, '60001'],
    ['blanks', '{{ data | squish | size }}', ' '.repeat(60_000), '0'],
    ['blanks among words', '{{ data | truncatewords: 2 }}', `a${' '.repeat(60_000)}b c`, 'a b...'],
    ['ampersands', '{{ data | escape_once | size }}', '&amp;'.repeat(10_000), '50000'],
    ['lines of an inline comment', `{% #${'\n'.repeat(9_000)}# %}x`, 1, 'x'],
    ['hundreds of filters', `{{ data ${'| upcase '.repeat(600)}}}`, 'x', 'X'],
    ['hundreds of outputs', '{{ data }}'.repeat(800), '', ''],
    ['a rounding to a billion places', '{{ 1.5 | round: 1000000000 }}', 1, '1.5'],
    ['a rounding the other way', '{{ 1.5 | round: -1000000000 }}', 1, '0'],
    ['a pattern longer than the text', '{{ data | remove: "xy" }}', 'x', 'x'],
  ]
  for (const [title, template, data, text] of linear)
    t.equal(expressions.render(template, { data }), text, title)
  const pattern = (length: number) => ({ text: 'a'.repeat(65_536), pattern: `${'a'.repeat(length)}b` })
  const search = (data: JsonValue) =>
    expressions.render('{{ data.text | remove: data.pattern | size }}', { data })
  t.equal(search(pattern(100)), '65536')
  t.equal(refusal(() => search(pattern(2_000))).fault, 'limit', 'a search that takes longer')
})

t.test('a limit is exceeded at the same position every time', async t => {
  const template = loop(loop('{{ i }}'), 100)
  t.equal(expressions.render(loop(''), { data: 1 }), '', 'control: an empty loop is within the limits')
  const first = refusal(() => expressions.render(template, { data: 1 }))
  for (let turn = 0; turn < 5; turn++)
    t.equal(refusal(() => testExpressions().render(template, { data: 1 })).message, first.message)
})

t.test('any text results in a value or in an error that is not internal', async t => {
  const words = `{{ }} {{- -}} {% %} {%- if elsif else endif unless endunless case when endcase for endfor in reversed
    limit: offset: continue break assign capture endcapture echo
    liquid raw endraw comment endcomment # = == != < > <= >= contains and or not empty blank nil true false data
    metadata data.a data.b data[0] data.list data["a b"] forloop.index x y . , : | ( ) [ ] .. (1..3) (1..data.n) ' "
    'a' "b" '\\' 0 1 -1 2.5 4 99999999999 'X' '-' '%Y%5d' '$.a' '$..b' size first last __proto__ constructor é 😀`
  const fragments = [...words.split(/\s+/), '\n', ' ', ...[...allFilters.keys()].map(name => `| ${name}`)]
  const open = fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map(parts => parts.join(' '))
  const chain = fc
    .array(fc.constantFrom(...fragments.filter(part => !/[{}]/.test(part))), { maxLength: 12 })
    .map(parts => `{{ data.list ${parts.join(' ')} }}`)
  const filters = fc
    .array(
      fc.tuple(
        fc.constantFrom(...allFilters.keys()),
        fc.constantFrom('', ': 1', ": 'a'", ': 2, "X"', ': data.b'),
      ),
    )
    .map(parts => `{{ data.a ${parts.map(([name, args]) => `| ${name}${args}`).join(' ')} }}`)
  const data = fc.constantFrom<JsonValue>(
    { a: '4242-4242', b: { b: [1, 'x', null] }, list: ['a', { a: 1 }, [2]], n: 5, 'a b': true },
    'text',
    [1, 2],
    -0.5,
  )
  let ended = 0
  const property = fc.property(fc.oneof(open, chain, filters), data, (template, data) => {
    try {
      const value = expressions.evaluate(template, { data, metadata: { k: 'v' } })
      JSON.stringify(value)
      ended++
    } catch (error) {
      if (!(error instanceof ExpressionError) || error.fault === 'internal') throw error
    }
  })
  fc.assert(property, { numRuns: 3_000 })
  t.ok(ended > 300, 'many of them result in a value')
})
