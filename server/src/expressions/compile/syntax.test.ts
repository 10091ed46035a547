import t from 'tap'
import { refusal, testExpressions } from '../_fixture.ts'

/** What cannot be read, and what the caller is told: the reason and the place. */
const expressions = testExpressions()

const cases: readonly [template: string, message: string][] = [
  // liquidjs passes over these in silence, and would show more than was meant.
  ['{{ data, reveal_last: 4 }}', 'cannot be read from here on (line 1, column 8)'],
  ['{{ data | }}', 'a filter is missing after the last "|" (line 1, column 9)'],
  ['{{ data. }}', 'a name is missing after the last "." (line 1, column 8)'],
  ['{{ data | upcase ) reveal_last: 4 }}', 'cannot be read from here on (line 1, column 18)'],
  ['{{ data data }}', 'cannot be read as one value (line 1, column 4)'],
  ['{{ data["a" reveal] }}', '"]" is missing (line 1, column 12)'],
  ['{{ ["data" | last4] }}', '"]" is missing (line 1, column 11)'],
  ['{{ data[] }}', 'a name or number is missing in "[]" (line 1, column 9)'],
  ["{% assign x = 'abc %}", 'a quote is not closed (line 1, column 15)'],
  ["{% assign x = 'abc\\' %}", 'a quote is not closed (line 1, column 15)'],
  ["{% assign x = ' %}", 'a quote is not closed (line 1, column 15)'],
  ['{% assign x = data, 4 %}', 'cannot be read from here on (line 1, column 19)'],
  ['{% if data == %}{% endif %}', 'a value is missing beside an operator (line 1, column 12)'],
  ['{% if == data %}{% endif %}', 'a value is missing beside an operator (line 1, column 7)'],
  ['{% if data, 1 %}{% endif %}', 'cannot be read from here on (line 1, column 11)'],
  ['{% if 1 %}{% elsif data, 1 %}{% endif %}', 'cannot be read from here on (line 1, column 24)'],
  ['{% if 1 %}{% endif data %}', 'cannot be read from here on (line 1, column 20)'],
  ['{% if 1 %}{% else data %}{% endif %}', 'cannot be read from here on (line 1, column 19)'],
  ['{% if 1 %}{% else %}{% endif data %}', 'cannot be read from here on (line 1, column 30)'],
  ['{% for i in data limt:1 %}{% endfor %}', 'a loop takes no "limt" (line 1, column 18)'],
  ['{% for i in data limit %}{% endfor %}', '"limit" has no value (line 1, column 18)'],
  ['{% for i in data limit:1 | %}{% endfor %}', 'cannot be read from here on (line 1, column 26)'],
  ['{% for i in data %}{% endfor x %}', 'cannot be read from here on (line 1, column 30)'],
  ['{% for i in data %}{% else x %}{% endfor %}', 'cannot be read from here on (line 1, column 28)'],
  ['{% for i in data %}{% else %}{% endfor x %}', 'cannot be read from here on (line 1, column 40)'],
  ['{% tablerow i in data reversed %}{% endtablerow %}', 'a loop takes no "reversed" (line 1, column 23)'],
  ['{% tablerow i in data %}{% endtablerow x %}', 'cannot be read from here on (line 1, column 40)'],
  ['{% cycle "a" "b" %}', 'cannot be read from here on (line 1, column 14)'],
  ['{% increment a b %}', 'cannot be read from here on (line 1, column 16)'],
  ['{% capture a b %}{% endcapture %}', 'cannot be read from here on (line 1, column 14)'],
  ['{% break 1 %}', 'cannot be read from here on (line 1, column 10)'],
  ['{% continue 1 %}', 'cannot be read from here on (line 1, column 13)'],
  ['{% echo data, 1 %}', 'cannot be read from here on (line 1, column 13)'],
  ['{% case 1 %}{% when 1 %}{% endcase x %}', 'cannot be read from here on (line 1, column 36)'],
  ['{% case 1 %}{% when 1 and 2 %}{% endcase %}', '"," or "or" is missing (line 1, column 26)'],
  ['{% case 1 %}{% else %}{% when 1 %}{% endcase %}', '"when" stands after "else" (line 1, column 23)'],
  ['{% if 1 %}{% else %}{% elsif 1 %}{% endif %}', '"elsif" stands after "else" (line 1, column 21)'],
  ['{% if 1 %}{% else %}{% else %}{% endif %}', '"else" stands after "else" (line 1, column 21)'],

  ['{{ data', '"{{" is not closed (line 1, column 1)'],
  ['a\nb {{ data', '"{{" is not closed (line 2, column 3)'],
  ['{{ data["a }}', '"{{" is not closed (line 1, column 1)'],
  ['{% if data', '"{%" is not closed (line 1, column 1)'],
  ['{{ data["a" }}', '"]" is missing (line 1, column 12)'],
  ['{{ }}', 'a value is missing (line 1, column 4)'],
  ['{% %}', 'the name of a tag is missing (line 1, column 4)'],
  ['{{ data upcase: 1 }}', '"|" is missing before a filter (line 1, column 16)'],
  ['{{ data ! upcase }}', '"|" is missing before a filter (line 1, column 10)'],
  ['{{ data | | upcase }}', 'the name of a filter is missing (line 1, column 11)'],
  ['{{ data | slice 1 }}', '":" is missing after the name of a filter (line 1, column 17)'],
  ['{{ data | slice: 1 1 }}', 'cannot be read from here on (line 1, column 20)'],
  ['{{ (1.5) }}', 'a range is written (first..last) (line 1, column 8)'],
  ['{{ (1..) }}', 'a value is missing (line 1, column 8)'],
  ['{{ [data] }}', 'the name of a variable must be written out (line 1, column 4)'],
  ["{{ '\\ud83d' }}", 'half a character is no text (line 1, column 4)'],
  [`{{ ${'9'.repeat(400)} }}`, 'the number is too large (line 1, column 4)'],

  ['{{ data | slice }}', 'slice takes 1 to 2 arguments (line 1, column 11)'],
  ['{{ data | slice: 1, 2, 3 }}', 'slice takes 1 to 2 arguments (line 1, column 11)'],
  ['{{ data | append }}', 'append takes 1 argument (line 1, column 11)'],
  ['{{ data | upcase: 1 }}', 'upcase takes 0 arguments (line 1, column 11)'],
  ['{{ data | upcase | lstirp }}', 'there is no filter "lstirp"; did you mean lstrip? (line 1, column 20)'],
  ['{{ data | reveal_last: count: 4 }}', 'reveal_last takes no argument "count" (line 1, column 11)'],
  ['{{ data | default: 1, allow_false: }}', 'default takes no argument "allow_false" (line 1, column 11)'],
  [
    '{{ dota }}',
    'there is no variable "dota": an expression may name data, metadata and what it assigns itself (line 1, column 4)',
  ],
  [
    `{{ ${'x'.repeat(65)} }}`,
    'there is no variable of that name: an expression may name data, metadata and what it assigns itself (line 1, column 4)',
  ],

  ['{% if data %}', '"if" is not closed (line 1, column 1)'],
  ['{% if data %}{% endfor %}', '"endfor" stands alone (line 1, column 14)'],
  ['{% endif %}', '"endif" stands alone (line 1, column 1)'],
  ['{% else %}', '"else" stands alone (line 1, column 1)'],
  ['{% when 1 %}', '"when" stands alone (line 1, column 1)'],
  ['{% liquid\n endif %}', '"endif" stands alone (line 2, column 2)'],
  ['{% liquid\n if data %}{% endif %}', '"if" is not closed (line 2, column 2)'],
  ['{% raw %}x', '"raw" is not closed (line 1, column 10)'],
  ['{% liquid\n raw\n x %}', '"raw" is not closed (line 2, column 2)'],
  ['{% comment %}x', '"comment" is not closed (line 1, column 1)'],
  ['{% capture x %}x', '"capture" is not closed (line 1, column 1)'],
  ['{% # a\n b %}', 'every line of a comment begins with "#" (line 1, column 1)'],
  ['{% foreach i in data %}', 'there is no tag "foreach" (line 1, column 1)'],
  ['{% include "a" %}', '"include" is refused: an expression reads no other (line 1, column 1)'],
  ['{% assign = 1 %}', 'the name of a variable is missing (line 1, column 11)'],
  ['{% assign x 1 %}', '"=" is missing after the name (line 1, column 13)'],
  ['{% for in data %}{% endfor %}', '"in" is missing (line 1, column 15)'],
  ['{% for i of data %}{% endfor %}', '"in" is missing (line 1, column 12)'],
  ['{% for i in %}{% endfor %}', 'a value is missing (line 1, column 12)'],
  ['{% case 1 %}{% when %}{% endcase %}', 'a value is missing (line 1, column 20)'],
  ['{% cycle %}', 'a value is missing (line 1, column 9)'],
]

t.test('what cannot be read is refused with the reason and the place', async t => {
  for (const [template, message] of cases) {
    const error = refusal(() => expressions.check(template))
    t.equal(error.message, message, template)
    t.equal(error.fault, 'syntax', template)
  }
})
