import t from 'tap'
import { refusal, testExpressions } from '../_fixture.ts'

/** Templates that are not valid, with the expected message and position. */
const expressions = testExpressions()

const cases: readonly [template: string, message: string][] = [
  // liquidjs silently ignores parts of these, and would reveal more than intended.
  ['{{ data, reveal_last: 4 }}', 'unexpected text from here on (line 1, column 8)'],
  ['{{ data | }}', 'a filter is missing after the last "|" (line 1, column 9)'],
  ['{{ data. }}', 'a name is missing after the last "." (line 1, column 8)'],
  ['{{ data | upcase ) reveal_last: 4 }}', 'unexpected text from here on (line 1, column 18)'],
  ['{{ data data }}', 'not a single value; an operator or "|" may be missing (line 1, column 4)'],
  ['{{ data["a" reveal] }}', '"]" is missing (line 1, column 12)'],
  ['{{ ["data" | last4] }}', '"]" is missing (line 1, column 11)'],
  ['{{ data[] }}', 'a name or number is missing in "[]" (line 1, column 9)'],
  ["{% assign x = 'abc %}", 'a quote is not closed (line 1, column 15)'],
  ["{% assign x = 'abc\\' %}", 'a quote is not closed (line 1, column 15)'],
  ["{% assign x = ' %}", 'a quote is not closed (line 1, column 15)'],
  ['{% assign x = data, 4 %}', 'unexpected text from here on (line 1, column 19)'],
  ['{% if data == %}{% endif %}', 'a value is missing next to an operator (line 1, column 12)'],
  ['{% if == data %}{% endif %}', 'a value is missing next to an operator (line 1, column 7)'],
  ['{% if data, 1 %}{% endif %}', 'unexpected text from here on (line 1, column 11)'],
  ['{% if 1 %}{% elsif data, 1 %}{% endif %}', 'unexpected text from here on (line 1, column 24)'],
  ['{% if 1 %}{% endif data %}', 'unexpected text from here on (line 1, column 20)'],
  ['{% if 1 %}{% else data %}{% endif %}', 'unexpected text from here on (line 1, column 19)'],
  ['{% if 1 %}{% else %}{% endif data %}', 'unexpected text from here on (line 1, column 30)'],
  ['{% for i in data limt:1 %}{% endfor %}', '"for" has no option "limt" (line 1, column 18)'],
  ['{% for i in data limit %}{% endfor %}', '"limit" has no value (line 1, column 18)'],
  ['{% for i in data limit:1 | %}{% endfor %}', 'unexpected text from here on (line 1, column 26)'],
  ['{% for i in data %}{% endfor x %}', 'unexpected text from here on (line 1, column 30)'],
  ['{% for i in data %}{% else x %}{% endfor %}', 'unexpected text from here on (line 1, column 28)'],
  ['{% for i in data %}{% else %}{% endfor x %}', 'unexpected text from here on (line 1, column 40)'],
  ['{% capture a b %}{% endcapture %}', 'unexpected text from here on (line 1, column 14)'],
  ['{% break 1 %}', 'unexpected text from here on (line 1, column 10)'],
  ['{% continue 1 %}', 'unexpected text from here on (line 1, column 13)'],
  ['{% echo data, 1 %}', 'unexpected text from here on (line 1, column 13)'],
  ['{% case 1 %}{% when 1 %}{% endcase x %}', 'unexpected text from here on (line 1, column 36)'],
  ['{% case 1 %}{% when 1 and 2 %}{% endcase %}', '"," or "or" is missing (line 1, column 26)'],
  [
    '{% case 1 %}{% else %}{% when 1 %}{% endcase %}',
    '"when" is not allowed after "else" (line 1, column 23)',
  ],
  ['{% if 1 %}{% else %}{% elsif 1 %}{% endif %}', '"elsif" is not allowed after "else" (line 1, column 21)'],
  ['{% if 1 %}{% else %}{% else %}{% endif %}', '"else" is not allowed after "else" (line 1, column 21)'],

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
  ['{{ data | slice: 1 1 }}', 'unexpected text from here on (line 1, column 20)'],
  ['{{ (1.5) }}', 'not a range; write (first..last) (line 1, column 8)'],
  ['{{ (1..) }}', 'a value is missing (line 1, column 8)'],
  ['{{ [data] }}', 'the name of a variable must be written out (line 1, column 4)'],
  ["{{ '\\ud83d' }}", 'the text contains half of a surrogate pair (line 1, column 4)'],
  [`{{ ${'9'.repeat(400)} }}`, 'the number is too large (line 1, column 4)'],

  ['{{ data | slice }}', 'slice takes 1 to 2 arguments (line 1, column 11)'],
  ['{{ data | slice: 1, 2, 3 }}', 'slice takes 1 to 2 arguments (line 1, column 11)'],
  ['{{ data | append }}', 'append takes 1 argument (line 1, column 11)'],
  ['{{ data | upcase: 1 }}', 'upcase takes 0 arguments (line 1, column 11)'],
  ['{{ data | upcase | lstirp }}', 'there is no filter "lstirp"; did you mean lstrip? (line 1, column 20)'],
  ['{{ data | reveal_last: count: 4 }}', 'reveal_last has no named argument "count" (line 1, column 11)'],
  ['{{ data | default: 1, allow_false: }}', 'the argument "allow_false" has no value (line 1, column 11)'],
  [
    '{{ dota }}',
    'there is no variable "dota"; use data, metadata or a variable that the expression assigns (line 1, column 4)',
  ],
  [
    `{{ ${'x'.repeat(65)} }}`,
    'there is no variable of that name; use data, metadata or a variable that the expression assigns (line 1, column 4)',
  ],

  ['{% if data %}', '"if" is not closed (line 1, column 1)'],
  ['{% if data %}{% endfor %}', '"endfor" without an opening tag (line 1, column 14)'],
  ['{% endif %}', '"endif" without an opening tag (line 1, column 1)'],
  ['{% else %}', '"else" without an opening tag (line 1, column 1)'],
  ['{% when 1 %}', '"when" without an opening tag (line 1, column 1)'],
  ['{% liquid\n endif %}', '"endif" without an opening tag (line 2, column 2)'],
  ['{% liquid\n if data %}{% endif %}', '"if" is not closed (line 2, column 2)'],
  ['{% raw %}x', '"raw" is not closed (line 1, column 10)'],
  ['{% liquid\n raw\n x %}', '"raw" is not closed (line 2, column 2)'],
  ['{% comment %}x', '"comment" is not closed (line 1, column 1)'],
  ['{% capture x %}x', '"capture" is not closed (line 1, column 1)'],
  ['{% # a\n b %}', 'every line of an inline comment must begin with "#" (line 1, column 1)'],
  ['{% foreach i in data %}', 'there is no tag "foreach" (line 1, column 1)'],
  [
    '{% include "a" %}',
    '"include" is not supported: an expression cannot load other templates (line 1, column 1)',
  ],
  ['{% assign = 1 %}', 'the name of a variable is missing (line 1, column 11)'],
  ['{% assign x 1 %}', '"=" is missing after the name (line 1, column 13)'],
  ['{% for in data %}{% endfor %}', '"in" is missing (line 1, column 15)'],
  ['{% for forloop in data %}{% endfor %}', 'a loop keeps its state in "forloop" (line 1, column 8)'],
  ['{% for i of data %}{% endfor %}', '"in" is missing (line 1, column 12)'],
  ['{% for i in %}{% endfor %}', 'a value is missing (line 1, column 12)'],
  ['{% case 1 %}{% when %}{% endcase %}', 'a value is missing (line 1, column 20)'],
]

t.test('templates that are not valid are refused with the reason and the position', async t => {
  for (const [template, message] of cases) {
    const error = refusal(() => expressions.check(template))
    t.equal(error.message, message, template)
    t.equal(error.fault, 'syntax', template)
  }
})
