import { Liquid } from 'liquidjs'
import t from 'tap'
import type { JsonObject } from '../base/json/json.ts'
import { testExpressions } from './_fixture.ts'

/**
 * Templates are parsed by liquidjs and run by our own code. This test runs the same templates in both and compares
 * the results. Intended differences are at the end.
 */
const liquidjs = new Liquid({ timezoneOffset: 0, locale: 'en-US', preserveTimezones: true })
const expressions = testExpressions()

const data: JsonObject = {
  s: 'Hello, World',
  n: 42,
  f: 2.3456,
  neg: -7,
  t: true,
  nul: null,
  list: ['b', 'a', 'c', 'a'],
  nums: [3, 1, 2],
  people: [
    { name: 'Ann', age: 30, ok: true },
    { name: 'bob', age: 25, ok: false },
    { name: 'Cy', ok: true },
  ],
  html: '<p class="x">Hi & <b>you</b></p>',
  date: '2024-03-01T10:05:09Z',
  o: { first: 'own', size: 'own' },
  nl: 'a\nb\r\nc',
  sp: '  a  b  ',
  e: '',
  el: [],
  eo: {},
}

const templates = `
{{ data.s | upcase }}{{ data.s | downcase }}{{ data.s | capitalize }}
{{ data.s | append: "!" | prepend: "¡" }}
{{ data.s | size }} {{ data.s.size }} {{ data.list.size }} {{ data.list | size }}
{{ data.s | slice: 0 }} {{ data.s | slice: -3, 2 }} {{ data.s | slice: 2, 100 }} {{ data.s | slice: -100, 2 }}
{{ data.s | truncate: 8 }} {{ data.s | truncate: 8, "" }} {{ data.s | truncate: 100 }} {{ data.s | truncate: 2 }}
{{ "a b c d" | truncatewords: 2 }} {{ "a b c d" | truncatewords: 2, "--" }} {{ "a b" | truncatewords: 5 }}
{{ data.s | replace: "l", "L" }} {{ data.s | replace_first: "l", "L" }} {{ data.s | replace_last: "l", "L" }}
{{ data.s | remove: "l" }} {{ data.s | remove_first: "l" }} {{ data.s | remove_last: "l" }}
{{ data.s | split: ", " | join: "|" }} {{ "a,b,,c,," | split: "," | join: "|" }} {{ "abc" | split: "" | join: "-" }}
[{{ data.sp | strip }}][{{ data.sp | lstrip }}][{{ data.sp | rstrip }}][{{ data.sp | squish }}]
{{ data.nl | strip_newlines }} {{ data.nl | newline_to_br }}
{{ data.html | strip_html }} {{ data.html | escape }} {{ data.html | escape | escape_once }}
{{ "<script>x</script>a<!-- c -->b<style>s</style><unclosed" | strip_html }}
{{ "a b&c=d/é" | url_encode }} {{ "a+b%26c" | url_decode }} {{ "hé" | base64_encode }} {{ "aMOp" | base64_decode }}
{{ data.n | plus: 1 }} {{ data.n | minus: 1 }} {{ data.n | times: 2 }} {{ data.n | divided_by: 4.0 }} {{ data.n | divided_by: 4, true }} {{ data.f | divided_by: 2 }} {{ data.neg | modulo: 5 }}
{{ data.f | round }} {{ data.f | round: 2 }} {{ data.f | ceil }} {{ data.f | floor }} {{ data.neg | abs }} {{ 1.005 | round: 2 }}
{{ data.n | at_least: 50 }} {{ data.n | at_most: 5 }} {{ "12" | plus: "3" }} {{ "x" | plus: 3 }} {{ 4.5 | times: 2 }}
{{ data.list | sort | join: "" }} {{ data.list | uniq | join: "" }} {{ data.list | reverse | join: "" }}
{{ data.list | first }} {{ data.list | last }} {{ "word" | first }} {{ "word" | last }}
{{ data.nums | sort | join: "," }} {{ data.nums | sum }} {{ data.people | map: "name" | join: "," }} {{ data.people | sum: "age" }}
{{ data.people | sort: "age" | map: "name" | join: "," }} {{ data.people | sort: "name" | map: "name" | join: "," }}
{{ data.people | sort_natural: "name" | map: "name" | join: "," }}
{{ data.people | where: "ok" | map: "name" | join }} {{ data.people | where: "age", 25 | map: "name" | join }}
{{ data.people | reject: "ok" | map: "name" | join }} {{ data.people | has: "name", "bob" }} {{ data.people | has: "name", "zoe" }}
{{ data.people | find: "name", "bob" | map: "age" | join }} {{ data.people | find_index: "name", "bob" }}
{{ data.people | map: "age" | compact | join: "," }} {{ data.list | concat: data.nums | join: "" }}
{{ data.e | default: "d" }} {{ data.nul | default: "d" }} {{ data.el | default: "d" }} {{ false | default: "d" }}
{{ false | default: "d", allow_false: true }} {{ data.n | default: "d" }} {{ 0 | default: "d" }}
{{ data.date | date: "%Y-%m-%d %H:%M:%S" }} {{ data.date | date: "%a %A %b %B %e %-d %j %I %l %p %P %y %C %u %w %U %W %s %z %%" }}
{{ "2024-12-31T23:59:59+05:30" | date: "%Y-%m-%dT%H:%M:%S%:z" }} {{ "1700000000" | date: "%Y" }} {{ "nonsense" | date: "%Y" }}
{{ data.date | date: "%10Y|%_5d|%^a|%^B|%L|%N|%3N" }} {{ data.date | date }}
{% if data.n > 40 and data.t %}y{% else %}n{% endif %}{% unless data.n == 42 %}y{% elsif data.t %}e{% endunless %}
{% if data.s contains "World" %}y{% endif %}{% if data.list contains "b" %}y{% endif %}{% if data.e == empty %}E{% endif %}
{% if data.sp == blank %}B{% else %}b{% endif %}{% if data.nul == nil %}N{% endif %}{% if data.el == empty %}L{% endif %}
{% if data.n >= 42 and data.n <= 42 or false %}1{% endif %}{% if "a" < "b" %}2{% endif %}{% if not data.nul %}3{% endif %}
{% if true or false and false %}1{% endif %}{% if 0 %}4{% endif %}{% if "" %}5{% endif %}{% if data.nums == data.nums %}6{% endif %}
{% case data.n %}{% when 1, 2 %}a{% when 42 or 43 %}b{% else %}c{% endcase %}{% case data.s %}{% when "x" %}x{% else %}e{% endcase %}
{% for i in (1..5) %}{{ i }}{% if i == 3 %}{% break %}{% endif %}{% endfor %}
{% for i in (1..5) %}{% if i == 3 %}{% continue %}{% endif %}{{ i }}{% endfor %}
{% for i in data.list limit:2 offset:1 %}{{ i }}{{ forloop.index }}{{ forloop.rindex0 }}{{ forloop.first }}{{ forloop.last }},{% endfor %}
{% for i in data.list limit:2 %}{{ i }}{% endfor %}-{% for i in data.list limit:2 offset:continue %}{{ i }}{% endfor %}
{% for i in data.el %}x{% else %}none{% endfor %}{% for kv in data.o %}{{ kv[0] }}={{ kv[1] }};{% endfor %}
{% for i in data.list reversed %}{{ i }}{% endfor %}{% for i in (1..2) %}{% for j in (1..2) %}{{ i }}{{ j }} {% endfor %}{% endfor %}
{% assign x = data.s | upcase %}{{ x }}{% capture y %}[{{ x }}]{% endcapture %}{{ y }}
{% raw %}{{ not }} {% if %}{% endraw %}{% comment %}x{{ data.s }}{% endcomment %}{% # note %}{% echo data.s | size %}
{{ data.o.first }}{{ data.o.size }}{{ data.list.first }}{{ data.list.last }}{{ data.list[1] }}{{ data.list[-1] }}{{ data["s"] }}
{{ data.people[0].name }}{{ data.people[0]["name"] }}{{ data.people.first.name }}{{ data.missing }}{{ data.missing.deep }}{{ data.n.x }}
 a {%- if true -%} trimmed {%- endif -%} b {{- data.n -}} end
{{ (1..3) | join: "," }} {{ "a\\"b" }} {{ 'a' }} {{ -5 }} {{ 1.5 }} {{ true }} {{ nil }}`

const blocks = [
  '{% for i in (1..3) %}{% capture x %}{{ i }}{% break %}{% endcapture %}{{ i }}{% endfor %}{{ x }}',
  '{% liquid\n assign z = 5\n if z > 3\n   echo "big"\n endif\n for i in (1..2)\n echo i\n endfor %}',
  '{% # one\n # two %}{% capture a %}{% for i in (1..2) %}{{ i }}{% endfor %}{% endcapture %}{{ a | size }}',
]

t.test('templates have the same results as in liquidjs', async t => {
  for (const template of [...templates.trimStart().split('\n'), ...blocks])
    t.equal(expressions.render(template, { data }), liquidjs.parseAndRenderSync(template, { data }), template)
})

t.test('intended differences from liquidjs', async t => {
  const differences: readonly [template: string, ours: string, theirs: string][] = [
    ['{{ data.list }}', '["b","a","c","a"]', 'baca'],
    ['{{ data.o }}', '{"first":"own","size":"own"}', '[object Object]'],
    ['{{ 1700000000 | date: "%F %T" }}', '2023-11-14 22:13:20', '%F %T'],
    ['{{ "a b" | truncatewords: 2 }}', 'a b', 'a b...'],
    ['{{ data.o | size }}', '2', '0'],
    ['{{ data.eo | default: "d" }}', 'd', '[object Object]'],
    ['{{ data.n | divided_by: 4 }}', '10', '10.5'],
    ['{% if data.o contains "first" %}1{% endif %}', '1', ''],
  ]
  for (const [template, ours, theirs] of differences) {
    t.equal(expressions.render(template, { data }), ours, template)
    t.equal(liquidjs.parseAndRenderSync(template, { data }), theirs, `${template}: liquidjs`)
  }
})
