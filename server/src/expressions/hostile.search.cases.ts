import { type HostileCases, longText, loop, manyObjects } from './hostile.model.ts'

const searches: HostileCases = {
  'a long pattern that almost fits everywhere': {
    template: `{% assign p = data | slice: 0, 20000 | append: "b" %}${loop('{% if data contains p %}{% endif %}')}`,
    data: longText,
    control: ['{% if data contains "ab" %}y{% endif %}', 'aaab', 'y'],
  },
  'a short pattern that almost fits everywhere, over and over': {
    template: loop('{% if data contains "aaaaaaaab" %}{% endif %}'),
    data: longText,
    control: [loop('{% if data contains "ab" %}y{% endif %}', 2), 'ab', 'yy'],
  },
  'the last of a pattern that almost fits everywhere': {
    template: `{% assign p = data | slice: 0, 9000 | prepend: "b" %}${loop('{% assign x = data | remove_last: p %}')}`,
    data: longText,
    control: ['{{ data | remove_last: "ba" }}', 'bbaba', 'bba'],
  },
  'a text cut into its characters': {
    template: '{{ data | split: "" | size }}',
    data: longText,
    control: ['{{ data | split: "" | size }}', 'abc', '3'],
  },
  'a large list sorted over and over': {
    template: loop('{% assign x = data | sort: "b" %}'),
    data: manyObjects,
    control: ['{{ data | sort: "b" | map: "b" | join }}', [{ b: 2 }, { b: 1 }], '1 2'],
  },
  'long texts that differ at their ends, sorted over and over': {
    template: loop('{% assign x = data | sort %}'),
    data: Array.from({ length: 100 }, (_, index) => 'a'.repeat(10_000) + index),
    control: ['{{ data | sort | join }}', ['ab', 'aa'], 'aa ab'],
  },
  'a list without repeats, over and over': {
    template: loop('{% assign x = data | uniq %}'),
    data: manyObjects,
    control: ['{{ data | uniq | join }}', [1, 1, 2], '1 2'],
  },
  'a property of a thousand names, in a large list': {
    template: `{{ data | map: "${'a.'.repeat(2_000)}a" | size }}`,
    data: manyObjects,
    control: ['{{ data | map: "a.b" | join }}', [{ a: { b: 1 } }], '1'],
  },
  'where on a large list, over and over': {
    template: loop('{% assign x = data | where: "b", "x1" %}'),
    data: manyObjects,
    control: ['{{ data | where: "b", 1 | size }}', [{ b: 1 }, { b: 2 }], '1'],
  },
  'two large lists compared over and over': {
    template: loop('{% if data == data %}{% endif %}'),
    data: manyObjects.map(({ a }) => a),
    control: ['{% if data == data %}y{% endif %}', [1, 2], 'y'],
  },
  'two long texts compared over and over': {
    template: `{% assign x = data | append: "" %}${loop('{% if data == x %}{% endif %}')}`,
    data: longText,
    control: ['{% assign x = data | append: "" %}{% if data == x %}y{% endif %}', 'a', 'y'],
  },
  'a path that goes through everything, over and over': {
    template: loop('{% assign x = data | json: "$..nowhere" %}'),
    data: manyObjects,
    control: ['{{ data | json: "$..b" }}', { a: [{ b: 1 }] }, '1'],
  },
  'a path that multiplies what it finds': {
    template: `{{ data | json: "$${'..*'.repeat(20)}" }}`,
    data: [[[[[[1, 2], 3], 4], 5], 6], 7],
    control: ['{{ data | json: "$..*" }}', [1], '1'],
  },
  'JSON read over and over': {
    template: loop('{% assign x = data | json: "$[0].a" %}'),
    data: JSON.stringify(manyObjects.slice(0, 30_000)),
    control: ['{{ data | json: "$[0].a" }}', '[{"a":1}]', '1'],
  },
  'JSON written over and over': {
    template: loop('{% assign x = data | stringify %}'),
    data: manyObjects,
    control: ['{{ data | stringify }}', [1], '[1]'],
  },
  'aliases of a long text, over and over': {
    template: loop('{% assign x = data | alias_preserve_length %}'),
    data: longText,
    control: ['{{ data | alias_preserve_length | size }}', 'abc', '3'],
  },
  'blank asked of a long blank text, over and over': {
    template: loop('{% if data == blank %}{% endif %}'),
    data: ' '.repeat(2 ** 20),
    control: ['{% if data == blank %}y{% endif %}', ' ', 'y'],
  },
}

const shapes: HostileCases = {
  'deep parentheses': {
    template: `{{ ${'('.repeat(9_000)} }}`,
    ends: 'nesting',
    control: ['{{ (1..2) | join }}', 1, '1 2'],
  },
  'deep brackets': {
    template: `{{ ${'data['.repeat(1_900)} }}`,
    ends: 'nesting',
    control: ['{{ data[data[0]] }}', [1, 'x'], 'x'],
  },
  'deep brackets after an escaped quote': {
    template: `{{ '\\'' | append: ${'data['.repeat(1_900)} }}`,
    ends: 'nesting',
    control: ["{{ '\\'((((' | append: data[0] }}", ['x'], "'((((x"],
  },
  'deep blocks': {
    template: '{% if data %}'.repeat(700),
    ends: 'nesting',
    control: ['{% if data %}{% if data %}y{% endif %}{% endif %}', 1, 'y'],
  },
  'deep captures': {
    template: '{% capture x %}'.repeat(600),
    ends: 'nesting',
    control: ['{% capture x %}y{% endcapture %}{{ x }}', 1, 'y'],
  },
  'liquid tags in blocks in liquid tags': {
    template: `{% liquid\n${'if data\n'.repeat(900)}%}`,
    ends: 'nesting',
    control: ['{% liquid\nif data\necho data\nendif %}', 1, '1'],
  },
  'liquid tags in liquid tags': {
    template: `{% ${'liquid '.repeat(1_400)}echo data %}`,
    ends: 'nesting',
    control: ['{% liquid liquid echo data %}', 1, '1'],
  },
  'thousands of operators': {
    template: `{% if ${'not '.repeat(2_000)}data %}{% endif %}`,
    ends: 'operands',
    control: ['{% if not data %}{% else %}y{% endif %}', 1, 'y'],
  },
  'a number of thousands of digits': {
    template: `{{ ${'9'.repeat(5_000)} }}`,
    ends: 'number',
    control: ['{{ 99 }}', 1, '99'],
  },
  'a raw block that never ends': {
    template: `{% raw %}${'{% raw %}'.repeat(1_000)}`,
    ends: 'unclosed',
    control: ['{% raw %}{{ x }}{% endraw %}', 1, '{{ x }}'],
  },
  'tags that never end': {
    template: '{{ {% '.repeat(1_600),
    ends: 'unclosed',
    control: ['{% echo data %}', 1, '1'],
  },
  'a file': {
    template: "{% include '/etc/passwd' %}",
    ends: 'unsupported',
    control: ['{% echo data %}', 'x', 'x'],
  },
}

/** Templates that search and compare large values, and templates that are hard to parse. */
export const searchCases: HostileCases = { ...searches, ...shapes }
