import { type HostileCases, loop, manyObjects } from './hostile.model.ts'

const wideObject = Object.fromEntries(manyObjects.map(({ a }) => [`k${a}`, a]))

const loops: HostileCases = {
  'a huge range': {
    template: '{% for i in (1..1000000000) %}x{% endfor %}',
    ends: 'range',
    control: ['{% for i in (1..3) %}x{% endfor %}', 1, 'xxx'],
  },
  'a range whose end comes from data': {
    template: '{{ (1..data) | size }}',
    data: 1e15,
    ends: 'range',
    control: ['{{ (1..data) | size }}', 15, '15'],
  },
  'a range beyond exact integers, where adding 1 changes nothing': {
    template: '{% for i in (9007199254740990..9007199254740995) %}{{ i }}{% endfor %}',
    ends: 'range',
    control: ['{% for i in (9007199254740980..9007199254740981) %}.{% endfor %}', 1, '..'],
  },
  'a range between the largest numbers': {
    template: '{{ (1..data) | size }}',
    data: 1.7e308,
    ends: 'range',
    control: ['{{ (3..1) | size }}', 1, '0'],
  },
  'a range beyond exact integers as a value of when': {
    template: '{% case 1 %}{% when (9007199254740990..9007199254740995) %}{% endcase %}',
    ends: 'range',
    control: ['{% case 1 %}{% when (1..2), 1 %}y{% endcase %}', 1, 'y'],
  },
  'a range beyond exact integers in each other place': {
    template: '{{ data | default: data[(9007199254740990..9007199254740995)] }}',
    ends: 'range',
    control: ['{{ nil | default: data[(1..2).last] }}', [1, 2, 'x'], 'x'],
  },
  'loops in loops': {
    template: loop(loop(loop('x'))),
    control: [loop(loop('x', 2), 3), 1, 'xxxxxx'],
  },
  'loops without a body': {
    template: loop(loop('')),
    control: [loop(loop('', 2), 2), 1, ''],
  },
  'loops of nothing but comments': {
    template: loop(loop('{% # x %}')),
    control: [loop('{% # x %}', 2), 1, ''],
  },
  'one loop after the other': {
    template: loop('').repeat(200),
    control: [loop('', 10).repeat(20), 1, ''],
  },
  'a large list reversed for each of many loops': {
    template: loop('{% for j in data reversed limit:1 %}{% endfor %}'),
    data: manyObjects,
    control: [loop('{% for j in data reversed limit:1 %}{{ j }}{% endfor %}', 2), [1, 2], '11'],
  },
  'a large object listed for each of many loops': {
    template: loop('{% for pair in data %}{% break %}{% endfor %}'),
    data: wideObject,
    control: [loop('{% for pair in data %}{{ pair[0] }}{% break %}{% endfor %}', 2), { a: 1, b: 2 }, 'aa'],
  },
  'the size of a large object over and over': {
    template: loop('{% if data.size > 1 %}{% endif %}'),
    data: wideObject,
    control: ['{{ data.size }}', { a: 1 }, '1'],
  },
  'hundreds of elsif in a loop': {
    template: loop(`{% if false %}${'{% elsif data == 2 %}'.repeat(400)}{% endif %}`),
    control: ['{% if false %}{% elsif data == 1 %}y{% endif %}', 1, 'y'],
  },
  'thousands of when in a loop': {
    template: loop(`{% case 1 %}{% when ${'2,'.repeat(4_000)}3 %}{% endcase %}`),
    control: ['{% case 1 %}{% when 2,2,1 %}y{% endcase %}', 1, 'y'],
  },
  'long conditions in a loop': {
    template: loop(`{% if ${'true and '.repeat(90)}true %}{% endif %}`),
    control: ['{% if true and true %}y{% endif %}', 1, 'y'],
  },
}

const growth: HostileCases = {
  'a text appended to itself': {
    template: `{% assign x = "ab" %}${'{% assign x = x | append: x %}'.repeat(100)}{{ x | size }}`,
    control: [`{% assign x = "ab" %}${'{% assign x = x | append: x %}'.repeat(3)}{{ x | size }}`, 1, '16'],
  },
  'a capture of itself twice': {
    template: `{% assign x = "ab" %}${loop('{% capture x %}{{ x }}{{ x }}{% endcapture %}', 100)}`,
    ends: 'text',
    control: [
      `{% assign x = "a" %}${loop('{% capture x %}{{ x }}{{ x }}{% endcapture %}', 2)}{{ x }}`,
      1,
      'aaaa',
    ],
  },
  'a replacement longer than what it replaces': {
    template: `{% assign x = "a" %}${loop('{% assign x = x | replace: "a", "aaaaaaaa" %}', 30)}`,
    control: ['{{ "aba" | replace: "a", "xx" }}', 1, 'xxbxx'],
  },
  'every character of a text replaced by all of it': {
    template: '{{ data | replace: "a", data }}',
    data: 'a'.repeat(60_000),
    ends: 'text',
    control: ['{{ data | replace: "a", data }}', 'aa', 'aaaa'],
  },
  'a list concatenated with itself': {
    template: `{% assign x = "a,b" | split: "," %}${loop('{% assign x = x | concat: x %}', 40)}`,
    control: ['{% assign x = "a,b" | split: "," %}{{ x | concat: x | size }}', 1, '4'],
  },
  'one large element many times, joined': {
    template: `{% assign x = data | split: "," %}${loop('{% assign x = x | concat: x %}', 10)}{{ x | join }}`,
    data: 'a'.repeat(60_000),
    ends: 'text',
    control: ['{{ data | split: "," | join: "-" }}', 'a,b', 'a-b'],
  },
  'one large element many times, as JSON': {
    template: `{% assign x = data | split: "," %}${loop('{% assign x = x | concat: x %}', 14)}{{ x | stringify }}`,
    data: 'a'.repeat(60_000),
    control: ['{{ data | split: "," | stringify }}', 'a,b', '["a","b"]'],
  },
  'output without end': {
    template: loop('{{ data }}'),
    data: 'x'.repeat(1_000),
    ends: 'text',
    control: [loop('{{ data }}', 2), 'x', 'xx'],
  },
  'a pad of a billion characters': {
    template: '{{ data | pad_left: 1000000000, "x" }}',
    data: 'd',
    ends: 'text',
    control: ['{{ data | pad_left: 3, "x" }}', 'd', 'xxd'],
  },
  'a date field of a billion characters': {
    template: '{{ "now" | date: "%1000000000d" }}',
    ends: 'width',
    control: ['{{ "now" | date: "%5d" }}', 1, '00031'],
  },
  'a date field whose width is beyond a number': {
    template: '{{ "now" | date: data }}',
    data: `%1${'0'.repeat(400)}d`,
    ends: 'width',
    control: ['{{ "now" | date: data }}', '%010d', '0000000031'],
  },
  'a date of hundreds of thousands of fields': {
    template: '{{ "now" | date: data | size }}',
    data: '%A'.repeat(300_000),
    control: ['{{ "now" | date: data }}', '%A%A', 'SaturdaySaturday'],
  },
  'numbers beyond numbers': {
    template: '{{ data | times: data }}',
    data: 1e300,
    ends: 'number',
    control: ['{{ data | times: data }}', 4, '16'],
  },
  'a division by nothing': {
    template: '{{ data | divided_by: 0 }}',
    data: 1,
    ends: 'number',
    control: ['{{ data | divided_by: 2 }}', 5, '2'],
  },
  'markup escaped over and over': {
    template: `{{ data ${'| escape '.repeat(50)}}}`,
    data: '&'.repeat(30_000),
    ends: 'text',
    control: ['{{ data | escape | escape }}', '&', '&amp;amp;'],
  },
}

/** Templates that loop, or produce ever larger values. */
export const growthCases: HostileCases = { ...loops, ...growth }
