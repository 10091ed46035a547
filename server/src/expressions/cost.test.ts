import t from 'tap'
import type { JsonValue } from '../base/json/json.ts'
import { costOf } from './_fixture.ts'
import { allFilters } from './filters/index.ts'

/**
 * An operation that takes longer for larger data must cost more steps. Each row has a template and its data as functions of
 * a size, and the minimum number of steps for each unit of size.
 */
type Row = readonly [
  title: string,
  template: string | ((n: number) => string),
  data: (n: number) => JsonValue,
  each: number,
]

const character = 1 / 256
const element = 1 / 16

const text = (n: number) => 'a'.repeat(n)
const blanks = (n: number) => ' '.repeat(n)
const list = (n: number) => Array.from({ length: n }, (_, index) => index)
const objects = (n: number) => list(n).map(a => ({ a }))
const object = (n: number) => Object.fromEntries(list(n).map(index => [`k${index}`, index]))
const two = (make: (n: number) => JsonValue) => (n: number) => ({ a: make(n), b: make(n) })
const number = (n: number) => n
const nothing = () => 1
const times = (n: number, part: string) => part.repeat(n)

const rows: readonly Row[] = [
  ['text between tags', n => `${text(n)}{{ data }}`, nothing, character],
  ['text put out', '-{{ data }}', text, character],
  ['a list put out', '-{{ data }}', list, 8 * character],
  ['tags', n => times(n, '{% # %}'), nothing, 1],
  ['outputs', n => times(n, '{{ data }}'), nothing, 1],
  ['members', n => `{{ data${times(n, '.a')} }}`, nothing, 1],
  ['computed members', n => `{{ data${times(n, '["a"]')} }}`, nothing, 1],
  ['filters', n => `{{ data ${times(n, '| abs ')} }}`, nothing, 2],
  ['operators', n => `{% if data ${times(n, 'and true ')}%}{% endif %}`, nothing, 1],
  ['elsif', n => `{% if nil %}${times(n, '{% elsif nil %}')}{% endif %}`, nothing, 1],
  ['when', n => `{% case data %}${times(n, '{% when 2 %}')}{% endcase %}`, nothing, 1],
  ['values of when', n => `{% case data %}{% when ${times(n, '2,')}2 %}{% endcase %}`, nothing, 1],
  ['turns of a loop', '{% for i in data %}{% endfor %}', list, 1 + element],
  ['turns of a loop over a range', '{% for i in (1..data) %}{% endfor %}', number, 1 + 2 * element],
  ['items passed over', '{% for i in data limit:1 %}{% endfor %}', list, element],
  ['members gone through', '{% for i in data limit:1 %}{% endfor %}', object, 2 + element],
  ['numbers of a range', '{{ (1..data).size }}', number, element],
  ['text captured', '{% capture x %}{{ data }}{% endcapture %}', text, character],
  ['members counted', '{{ data.size }}', object, 1],
  ['characters counted', '{{ data.size }}', text, character],
  ['equal texts', '{% if data.a == data.b %}{% endif %}', two(text), character],
  ['equal lists', '{% if data.a == data.b %}{% endif %}', two(list), 1],
  ['texts in order', '{% if data.a < data.b %}{% endif %}', two(text), character],
  ['an element looked for', '{% if data contains "x" %}{% endif %}', list, 1],
  ['a text looked for', '{% if data contains "x" %}{% endif %}', text, character],
  ['a long text looked for', '{% if data.a contains data.b %}{% endif %}', two(text), 16 * character],
  ['text asked whether it is blank', '{% if data == blank %}{% endif %}', blanks, character],
  ['an object asked whether it is empty', '{% if data == empty %}{% endif %}', object, 1],
  ['texts in a case', '{% case data.a %}{% when data.b %}{% endcase %}', two(text), character],

  ['texts appended', '{{ data.a | append: data.b }}', two(text), 4 * character],
  ['texts replaced', '{{ data | replace: "a", "b" }}', text, element],
  ['the last of a text removed', '{{ data | remove_last: "ba" }}', text, 4 * character],
  ['a long text removed', n => `{{ data | remove_last: "${'b'.repeat(160)}${n}" }}`, text, 13 * character],
  ['text split', '{{ data | split: "" }}', text, 2 * element],
  ['words', '{{ data | truncatewords: 1 }}', text, element / 2],
  ['elements joined', '{{ data | join }}', list, 1],
  ['texts joined', '{{ data | split: "-" | join }}', text, 4 * character],
  ['lists concatenated', '{{ data.a | concat: data.b }}', two(list), 4 * element],
  ['lists sorted', '{{ data | sort }}', list, 2],
  ['lists sorted by a property', '{{ data | sort: "a" }}', objects, 3],
  ['lists of texts sorted', '{{ data | sort }}', n => [text(n), text(n)], character],
  ['lists made unique', '{{ data | uniq }}', list, 1],
  ['texts made unique', '{{ data | uniq }}', n => [text(n)], character],
  ['properties read', '{{ data | map: "a.b.c" }}', objects, 4],
  ['long properties read', '{{ data.a | map: data.b }}', n => ({ a: [1], b: 'a.'.repeat(n) }), 1],
  ['elements selected', '{{ data | where: "a" }}', objects, 2],
  ['fields of a date', '{{ "now" | date: data }}', n => '%d'.repeat(n), 4],
  ['characters escaped', '{{ data | escape }}', text, 8 * character],
  ['JSON written', '{{ data | stringify }}', list, 8 * character],
  ['JSON read', '{{ data | json: "$[0]" }}', n => JSON.stringify(list(n)), 8 * character],
  ['values that a path goes through', '{{ data | json: "$[?(@ == 1)]" }}', list, 1],
  ['values that a path goes down to', '{{ data | json: "$..a" }}', list, 1],
  ['members that a path reads', '{{ data | json: "$[*].b" }}', objects, 2],
  ['elements that a path reads', '{{ data | json: "$[*][5]" }}', list, 2],
  ['elements of a slice that a path reads', '{{ data | json: "$[:-1].b" }}', objects, 2],
  ['values of a slice', '{{ data | json: "$[:-1][?(@ == 1)]" }}', list, 1],
  ['masked characters', '{{ data | reveal_last: 4 }}', text, element],
  ['preserved characters', '{{ data | card_mask: true }}', text, element],
  ['BIN', '{{ data | card_bin }}', n => '1'.repeat(n), element],
  ['base64', '{{ data | base64_decode }}', n => 'YWFh'.repeat(n), 4 * character],
  ['replaced characters', '{{ data | alias_preserve_length }}', text, 2 * element],
  ['replaced digits', '{{ data | alias_card }}', n => '1'.repeat(n), element],
  ['padding', '{{ "a" | pad_left: data, "x" }}', number, character],
]

t.test('larger input costs more steps', async t => {
  for (const [title, template, data, each] of rows) {
    const cost = (n: number) => costOf(typeof template === 'string' ? template : template(n), data(n))
    const grown = cost(2_000) - cost(1_000)
    t.ok(grown >= 1_000 * each - 1, `${title}: ${grown / 1_000} for each, expected at least ${each}`)
  }
})

t.test('every filter costs more on longer text, longer lists, and with longer arguments', async t => {
  const measured = new Set<string>()
  for (const [name, { takes }] of allFilters) {
    const more = Array.from({ length: Math.max(takes[0], 1) - 1 }, () => ', "b"').join('')
    const args = takes[1] === 0 ? '' : `: data.b${more}`
    const cost = (a: JsonValue, b: JsonValue) => {
      try {
        return costOf(`{{ data.a | ${name}${args} }}`, { a, b })
      } catch {
        return Number.NaN
      }
    }
    const grown = (make: (n: number) => JsonValue) => cost(make(2_000), 1) - cost(make(1_000), 1)
    const growths = [
      ['text', grown(text), 1_000 * character],
      ['digits', grown(n => '1'.repeat(n)), 1_000 * character],
      ['a list', grown(list), 1_000 * element],
      ['an argument', cost('1', text(2_000)) - cost('1', text(1_000)), 1_000 * character],
    ] as const
    for (const [what, growth, expected] of growths) {
      if (takes[1] === 0 && what === 'an argument') continue
      // NaN: the filter refuses such a value without processing it.
      t.ok(Number.isNaN(growth) || growth >= expected * 0.99, `${name}: ${what}: ${growth}`)
    }
    if (growths.some(([, growth]) => !Number.isNaN(growth))) measured.add(name)
  }
  const notMeasured = [...allFilters.keys()].filter(name => !measured.has(name))
  // These filters accept other values only; the rows above cover those whose values have a size.
  t.strictSame(notMeasured, [
    'base64_decode',
    'base64_url_safe_decode',
    'card_mask',
    'card_bin',
    'alias_card',
    'to_boolean',
    'json',
  ])
})
