import type { JsonValue } from '../base/json.ts'

/**
 * Templates made to take time, memory or the stack. The clock stands still here: each ends by counting, at the
 * same place on any machine. `control` is the same shape in a harmless size, so that it is the size, and no
 * mistake in the template, that is refused.
 */
export interface Hostile {
  readonly title: string
  readonly template: string
  readonly data?: JsonValue
  readonly ends: keyof typeof endings
  readonly control: readonly [template: string, data: JsonValue, text: string]
}

export const endings = {
  steps: /^takes more than 20000 steps$/,
  text: /^makes more than 65536 characters of text$/,
  range: /^a range has more than 10000 numbers$/,
  nesting: /nested too deeply$/,
  operands: /^more than 200 operands and operators/,
  number: /finite number|too large/,
  width: /^date pads to at most/,
  unclosed: /is not closed$/,
  refused: /is refused: an expression reads no other$/,
}

const many = Array.from({ length: 50_000 }, (_, index) => ({ a: index, b: `x${index % 97}` }))
const wide = Object.fromEntries(many.map(({ a }) => [`k${a}`, a]))
const long = 'a'.repeat(2 ** 20)
/** A thousand turns of nothing are within the limits: it is the body that is hostile. */
export const loop = (body: string, count = 1_000) => `{% for i in (1..${count}) %}${body}{% endfor %}`

const loops: readonly Hostile[] = [
  {
    title: 'a huge range',
    template: '{% for i in (1..1000000000) %}x{% endfor %}',
    ends: 'range',
    control: ['{% for i in (1..3) %}x{% endfor %}', 1, 'xxx'],
  },
  {
    title: 'a range whose end comes from data',
    template: '{{ (1..data) | size }}',
    data: 1e15,
    ends: 'range',
    control: ['{{ (1..data) | size }}', 15, '15'],
  },
  {
    title: 'a range beyond exact integers, where adding 1 changes nothing',
    template: '{% for i in (9007199254740990..9007199254740995) %}{{ i }}{% endfor %}',
    ends: 'range',
    control: ['{% for i in (9007199254740980..9007199254740981) %}.{% endfor %}', 1, '..'],
  },
  {
    title: 'a range between the largest numbers',
    template: '{{ (1..data) | size }}',
    data: 1.7e308,
    ends: 'range',
    control: ['{{ (3..1) | size }}', 1, '0'],
  },
  {
    title: 'loops in loops',
    template: loop(loop(loop('x'))),
    ends: 'steps',
    control: [loop(loop('x', 2), 3), 1, 'xxxxxx'],
  },
  {
    title: 'loops without a body',
    template: loop(loop('')),
    ends: 'steps',
    control: [loop(loop('', 2), 2), 1, ''],
  },
  {
    title: 'loops of nothing but comments',
    template: loop(loop('{% # x %}')),
    ends: 'steps',
    control: [loop('{% # x %}', 2), 1, ''],
  },
  {
    title: 'one loop after the other',
    template: loop('').repeat(200),
    ends: 'steps',
    control: [loop('', 10).repeat(20), 1, ''],
  },
  {
    title: 'tablerow in tablerow',
    template:
      '{% tablerow i in (1..10000) cols:1 %}{% tablerow j in (1..9) %}{% endtablerow %}{% endtablerow %}',
    ends: 'text',
    control: [
      '{% tablerow i in (1..1) cols:1 %}{{ i }}{% endtablerow %}',
      1,
      '<tr class="row1"><td class="col1">1</td></tr>',
    ],
  },
  {
    title: 'a large list reversed for each of many loops',
    template: loop('{% for j in data reversed limit:1 %}{% endfor %}'),
    data: many,
    ends: 'steps',
    control: [loop('{% for j in data reversed limit:1 %}{{ j }}{% endfor %}', 2), [1, 2], '11'],
  },
  {
    title: 'a large object listed for each of many loops',
    template: loop('{% for pair in data %}{% break %}{% endfor %}'),
    data: wide,
    ends: 'steps',
    control: [loop('{% for pair in data %}{{ pair[0] }}{% break %}{% endfor %}', 2), { a: 1, b: 2 }, 'aa'],
  },
  {
    title: 'the size of a large object over and over',
    template: loop('{% if data.size > 1 %}{% endif %}'),
    data: wide,
    ends: 'steps',
    control: ['{{ data.size }}', { a: 1 }, '1'],
  },
  {
    title: 'hundreds of elsif in a loop',
    template: loop(`{% if false %}${'{% elsif data == 2 %}'.repeat(400)}{% endif %}`),
    ends: 'steps',
    control: ['{% if false %}{% elsif data == 1 %}y{% endif %}', 1, 'y'],
  },
  {
    title: 'thousands of when in a loop',
    template: loop(`{% case 1 %}{% when ${'2,'.repeat(4_000)}3 %}{% endcase %}`),
    ends: 'steps',
    control: ['{% case 1 %}{% when 2,2,1 %}y{% endcase %}', 1, 'y'],
  },
  {
    title: 'a cycle of a thousand values in a loop',
    template: loop(`{% cycle ${'"abcdefgh",'.repeat(850)}"x" %}`),
    ends: 'steps',
    control: [loop('{% cycle "a", "b" %}', 3), 1, 'aba'],
  },
  {
    title: 'long conditions in a loop',
    template: loop(`{% if ${'true and '.repeat(90)}true %}{% endif %}`),
    ends: 'steps',
    control: ['{% if true and true %}y{% endif %}', 1, 'y'],
  },
]

const growth: readonly Hostile[] = [
  {
    title: 'a text appended to itself',
    template: `{% assign x = "ab" %}${'{% assign x = x | append: x %}'.repeat(100)}{{ x | size }}`,
    ends: 'text',
    control: [`{% assign x = "ab" %}${'{% assign x = x | append: x %}'.repeat(3)}{{ x | size }}`, 1, '16'],
  },
  {
    title: 'a capture of itself twice',
    template: `{% assign x = "ab" %}${loop('{% capture x %}{{ x }}{{ x }}{% endcapture %}', 100)}`,
    ends: 'text',
    control: [
      `{% assign x = "a" %}${loop('{% capture x %}{{ x }}{{ x }}{% endcapture %}', 2)}{{ x }}`,
      1,
      'aaaa',
    ],
  },
  {
    title: 'a replacement longer than what it replaces',
    template: `{% assign x = "a" %}${loop('{% assign x = x | replace: "a", "aaaaaaaa" %}', 30)}`,
    ends: 'text',
    control: ['{{ "aba" | replace: "a", "xx" }}', 1, 'xxbxx'],
  },
  {
    title: 'every character of a text replaced by all of it',
    template: '{{ data | replace: "a", data }}',
    data: 'a'.repeat(60_000),
    ends: 'text',
    control: ['{{ data | replace: "a", data }}', 'aa', 'aaaa'],
  },
  {
    title: 'a list concatenated with itself',
    template: `{% assign x = "a,b" | split: "," %}${loop('{% assign x = x | concat: x %}', 40)}`,
    ends: 'steps',
    control: ['{% assign x = "a,b" | split: "," %}{{ x | concat: x | size }}', 1, '4'],
  },
  {
    title: 'one large element many times, joined',
    template: `{% assign x = data | split: "," %}${loop('{% assign x = x | concat: x %}', 10)}{{ x | join }}`,
    data: 'a'.repeat(60_000),
    ends: 'text',
    control: ['{{ data | split: "," | join: "-" }}', 'a,b', 'a-b'],
  },
  {
    title: 'one large element many times, as JSON',
    template: `{% assign x = data | split: "," %}${loop('{% assign x = x | concat: x %}', 14)}{{ x | stringify }}`,
    data: 'a'.repeat(60_000),
    ends: 'text',
    control: ['{{ data | split: "," | stringify }}', 'a,b', '["a","b"]'],
  },
  {
    title: 'output without end',
    template: loop('{{ data }}'),
    data: 'x'.repeat(1_000),
    ends: 'text',
    control: [loop('{{ data }}', 2), 'x', 'xx'],
  },
  {
    title: 'a pad of a billion characters',
    template: '{{ data | pad_left: 1000000000, "x" }}',
    data: 'd',
    ends: 'text',
    control: ['{{ data | pad_left: 3, "x" }}', 'd', 'xxd'],
  },
  {
    title: 'a date field of a billion characters',
    template: '{{ "now" | date: "%1000000000d" }}',
    ends: 'width',
    control: ['{{ "now" | date: "%5d" }}', 1, '00031'],
  },
  {
    title: 'a date field whose width is no number any more',
    template: '{{ "now" | date: data }}',
    data: `%1${'0'.repeat(400)}d`,
    ends: 'width',
    control: ['{{ "now" | date: data }}', '%010d', '0000000031'],
  },
  {
    title: 'a date of hundreds of thousands of fields',
    template: '{{ "now" | date: data | size }}',
    data: '%A'.repeat(300_000),
    ends: 'steps',
    control: ['{{ "now" | date: data }}', '%A%A', 'SaturdaySaturday'],
  },
  {
    title: 'numbers beyond numbers',
    template: '{{ data | times: data }}',
    data: 1e300,
    ends: 'number',
    control: ['{{ data | times: data }}', 4, '16'],
  },
  {
    title: 'a division by nothing',
    template: '{{ data | divided_by: 0 }}',
    data: 1,
    ends: 'number',
    control: ['{{ data | divided_by: 2 }}', 5, '2'],
  },
  {
    title: 'markup escaped over and over',
    template: `{{ data ${'| escape '.repeat(50)}}}`,
    data: '&'.repeat(30_000),
    ends: 'text',
    control: ['{{ data | escape | escape }}', '&', '&amp;amp;'],
  },
]

const searches: readonly Hostile[] = [
  {
    title: 'a long pattern that almost fits everywhere',
    template: `{% assign p = data | slice: 0, 20000 | append: "b" %}${loop('{% if data contains p %}{% endif %}')}`,
    data: long,
    ends: 'steps',
    control: ['{% if data contains "ab" %}y{% endif %}', 'aaab', 'y'],
  },
  {
    title: 'a short pattern that almost fits everywhere, over and over',
    template: loop('{% if data contains "aaaaaaaab" %}{% endif %}'),
    data: long,
    ends: 'steps',
    control: [loop('{% if data contains "ab" %}y{% endif %}', 2), 'ab', 'yy'],
  },
  {
    title: 'the last of a pattern that almost fits everywhere',
    template: `{% assign p = data | slice: 0, 9000 | prepend: "b" %}${loop('{% assign x = data | remove_last: p %}')}`,
    data: long,
    ends: 'steps',
    control: ['{{ data | remove_last: "ba" }}', 'bbaba', 'bba'],
  },
  {
    title: 'a text cut into its characters',
    template: '{{ data | split: "" | size }}',
    data: long,
    ends: 'steps',
    control: ['{{ data | split: "" | size }}', 'abc', '3'],
  },
  {
    title: 'a large list sorted over and over',
    template: loop('{% assign x = data | sort: "b" %}'),
    data: many,
    ends: 'steps',
    control: ['{{ data | sort: "b" | map: "b" | join }}', [{ b: 2 }, { b: 1 }], '1 2'],
  },
  {
    title: 'long texts that differ at their ends, sorted over and over',
    template: loop('{% assign x = data | sort %}'),
    data: Array.from({ length: 100 }, (_, index) => 'a'.repeat(10_000) + index),
    ends: 'steps',
    control: ['{{ data | sort | join }}', ['ab', 'aa'], 'aa ab'],
  },
  {
    title: 'a list without repeats, over and over',
    template: loop('{% assign x = data | uniq %}'),
    data: many,
    ends: 'steps',
    control: ['{{ data | uniq | join }}', [1, 1, 2], '1 2'],
  },
  {
    title: 'a property of a thousand names, in a large list',
    template: `{{ data | map: "${'a.'.repeat(2_000)}a" | size }}`,
    data: many,
    ends: 'steps',
    control: ['{{ data | map: "a.b" | join }}', [{ a: { b: 1 } }], '1'],
  },
  {
    title: 'where on a large list, over and over',
    template: loop('{% assign x = data | where: "b", "x1" %}'),
    data: many,
    ends: 'steps',
    control: ['{{ data | where: "b", 1 | size }}', [{ b: 1 }, { b: 2 }], '1'],
  },
  {
    title: 'two large lists compared over and over',
    template: loop('{% if data == data %}{% endif %}'),
    data: many.map(({ a }) => a),
    ends: 'steps',
    control: ['{% if data == data %}y{% endif %}', [1, 2], 'y'],
  },
  {
    title: 'two long texts compared over and over',
    template: `{% assign x = data | append: "" %}${loop('{% if data == x %}{% endif %}')}`,
    data: long,
    ends: 'steps',
    control: ['{% assign x = data | append: "" %}{% if data == x %}y{% endif %}', 'a', 'y'],
  },
  {
    title: 'a path that goes through everything, over and over',
    template: loop('{% assign x = data | json: "$..nowhere" %}'),
    data: many,
    ends: 'steps',
    control: ['{{ data | json: "$..b" }}', { a: [{ b: 1 }] }, '1'],
  },
  {
    title: 'a path that multiplies what it finds',
    template: `{{ data | json: "$${'..*'.repeat(20)}" }}`,
    data: [[[[[[1, 2], 3], 4], 5], 6], 7],
    ends: 'steps',
    control: ['{{ data | json: "$..*" }}', [1], '1'],
  },
  {
    title: 'JSON read over and over',
    template: loop('{% assign x = data | json: "$[0].a" %}'),
    data: JSON.stringify(many.slice(0, 30_000)),
    ends: 'steps',
    control: ['{{ data | json: "$[0].a" }}', '[{"a":1}]', '1'],
  },
  {
    title: 'JSON written over and over',
    template: loop('{% assign x = data | stringify %}'),
    data: many,
    ends: 'steps',
    control: ['{{ data | stringify }}', [1], '[1]'],
  },
  {
    title: 'aliases of a long text, over and over',
    template: loop('{% assign x = data | alias_preserve_length %}'),
    data: long,
    ends: 'steps',
    control: ['{{ data | alias_preserve_length | size }}', 'abc', '3'],
  },
  {
    title: 'blank asked of a long blank text, over and over',
    template: loop('{% if data == blank %}{% endif %}'),
    data: ' '.repeat(2 ** 20),
    ends: 'steps',
    control: ['{% if data == blank %}y{% endif %}', ' ', 'y'],
  },
]

const shapes: readonly Hostile[] = [
  {
    title: 'deep parentheses',
    template: `{{ ${'('.repeat(9_000)} }}`,
    ends: 'nesting',
    control: ['{{ (1..2) | join }}', 1, '1 2'],
  },
  {
    title: 'deep brackets',
    template: `{{ ${'data['.repeat(1_900)} }}`,
    ends: 'nesting',
    control: ['{{ data[data[0]] }}', [1, 'x'], 'x'],
  },
  {
    title: 'deep brackets after an escaped quote',
    template: `{{ '\\'' | append: ${'data['.repeat(1_900)} }}`,
    ends: 'nesting',
    control: ["{{ '\\'((((' | append: data[0] }}", ['x'], "'((((x"],
  },
  {
    title: 'deep blocks',
    template: '{% if data %}'.repeat(700),
    ends: 'nesting',
    control: ['{% if data %}{% if data %}y{% endif %}{% endif %}', 1, 'y'],
  },
  {
    title: 'deep captures',
    template: '{% capture x %}'.repeat(600),
    ends: 'nesting',
    control: ['{% capture x %}y{% endcapture %}{{ x }}', 1, 'y'],
  },
  {
    title: 'liquid tags in blocks in liquid tags',
    template: `{% liquid\n${'if data\n'.repeat(900)}%}`,
    ends: 'nesting',
    control: ['{% liquid\nif data\necho data\nendif %}', 1, '1'],
  },
  {
    title: 'liquid tags in liquid tags',
    template: `{% ${'liquid '.repeat(1_400)}echo data %}`,
    ends: 'nesting',
    control: ['{% liquid liquid echo data %}', 1, '1'],
  },
  {
    title: 'thousands of operators',
    template: `{% if ${'not '.repeat(2_000)}data %}{% endif %}`,
    ends: 'operands',
    control: ['{% if not data %}{% else %}y{% endif %}', 1, 'y'],
  },
  {
    title: 'a number of thousands of digits',
    template: `{{ ${'9'.repeat(5_000)} }}`,
    ends: 'number',
    control: ['{{ 99 }}', 1, '99'],
  },
  {
    title: 'a raw block that never ends',
    template: `{% raw %}${'{% raw %}'.repeat(1_000)}`,
    ends: 'unclosed',
    control: ['{% raw %}{{ x }}{% endraw %}', 1, '{{ x }}'],
  },
  {
    title: 'tags that never end',
    template: '{{ {% '.repeat(1_600),
    ends: 'unclosed',
    control: ['{% echo data %}', 1, '1'],
  },
  {
    title: 'a file',
    template: "{% include '/etc/passwd' %}",
    ends: 'refused',
    control: ['{% echo data %}', 'x', 'x'],
  },
]

export const hostileCases: readonly Hostile[] = [...loops, ...growth, ...searches, ...shapes]
