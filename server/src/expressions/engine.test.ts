import t from 'tap'
import { refusal, testExpressions } from './_fixture.ts'

const expressions = testExpressions()
const card = { number: '4242424242424242', expiration_month: 12, cvc: null, tags: ['a', 'b'], valid: true }

t.test('a text that is exactly one expression keeps the JSON type of its value', async t => {
  const value = (text: string) => expressions.evaluate(text, { data: card })
  t.equal(value('{{ data.expiration_month }}'), 12)
  t.equal(value('{{- data.valid -}}'), true)
  t.same(value('{{ data.tags }}'), ['a', 'b'])
  t.same(value('{{ data }}'), card)
  t.equal(value('{{ data.cvc }}'), null)
  t.equal(value('{{ data.missing.deeper }}'), null)
  t.equal(value('{{ data.expiration_month | plus: 1 }}'), 13)
  t.equal(value('{{ empty }}'), '')
})

t.test('any other text results in text', async t => {
  const value = (text: string) => expressions.evaluate(text, { data: card })
  t.equal(value(' {{ data.expiration_month }}'), ' 12')
  t.equal(value('{{ data.expiration_month }}{{ data.cvc }}'), '12')
  t.equal(value('{% if data.valid %}{{ data.expiration_month }}{% endif %}'), '12')
  t.equal(value('no expression'), 'no expression')
  t.equal(value('is {{ data.tags }}'), 'is ["a","b"]')
})

t.test('render always returns text', async t => {
  t.equal(expressions.render('{{ data.expiration_month }}', { data: card }), '12')
  t.equal(expressions.render('{{ data.missing }}', { data: card }), '')
  t.equal(expressions.render('{{ data }}', { data: { a: [1, null] } }), '{"a":[1,null]}')
  const found = expressions.render('{{ data }}', { data: [1, 23] })
  t.not(found, expressions.render('{{ data }}', { data: [12, 3] }), 'different lists have different texts')
})

t.test('isExpression recognizes outputs and tags', async t => {
  t.ok(expressions.isExpression('a {{ data }}'))
  t.ok(expressions.isExpression('{% if data %}{% endif %}'))
  t.notOk(expressions.isExpression('{ data } %}'))
})

t.test('data is always available, metadata only if it is given', async t => {
  const both = { data: 'd', metadata: { k: 'v' } }
  t.equal(expressions.render('{{ data }}{{ metadata.k }}', both), 'dv')
  const error = refusal(() => expressions.render('a\n {{ metadata.k }}', { data: 'd' }))
  t.equal(error.message, 'metadata is not available here, only data (line 2, column 5)')
  t.equal(error.fault, 'value')
})

t.test('an unknown variable is refused', async t => {
  const error = refusal(() => expressions.check('{{ data }}\n{{ date.number }}'))
  t.match(error.message, /there is no variable "date".*data, metadata.*\(line 2, column 4\)/)
  t.equal(error.fault, 'syntax')
  expressions.check('{% assign date = data %}{{ date.number }}')
  expressions.check('{% for date in data %}{{ date.number }}{% endfor %}')
  const found = refusal(() => expressions.check('{% for i in data %}{% endfor %}{{ i }}')).message
  t.match(found, /no variable "i"/, 'a loop variable is known only in its loop')
})

t.test('an unknown filter or tag is refused with similar names', async t => {
  const message = (text: string) => refusal(() => expressions.check(text)).message
  const found = message('{{ data | revael_last: 4 }}')
  t.equal(found, 'there is no filter "revael_last"; did you mean reveal_last? (line 1, column 11)')
  t.equal(message('{% iff data %}'), 'there is no tag "iff"; did you mean if? (line 1, column 1)')
  t.equal(message('{{ data | constructor }}'), 'there is no filter "constructor" (line 1, column 11)')
  t.equal(message('{% toString %}'), 'there is no tag "toString" (line 1, column 1)')
  t.equal(message('{% __proto__ %}'), 'there is no tag "__proto__" (line 1, column 1)')
})

t.test('filters that liquidjs adds to Liquid are not supported', async t => {
  const additions =
    'raw inspect jsonify to_integer sample sha256 hmac_sha256 where_exp group_by_exp find_exp xml_escape slugify'
  for (const name of additions.split(' '))
    t.equal(refusal(() => expressions.check(`{{ data | ${name} }}`)).fault, 'syntax', name)
})

t.test('tags that load other templates are refused, in a liquid tag too', async t => {
  for (const tag of ["include 'a'", "render 'a'", "layout 'a'", 'block a', "liquid\n include 'a'"]) {
    const error = refusal(() => expressions.check(`{% ${tag} %}`))
    t.match(error.message, /"(include|render|layout|block)" is not supported/, tag)
  }
})

t.test('properties that JavaScript adds to values cannot be read', async t => {
  const hostNames =
    'constructor __proto__ prototype toString valueOf hasOwnProperty length __defineGetter__ then toJSON'
  for (const name of hostNames.split(' ')) {
    for (const data of ['text', 1, true, ['a'], { a: 1 }, {}, []]) {
      t.equal(
        expressions.evaluate(`{{ data.${name} }}`, { data }),
        null,
        `${name} of ${JSON.stringify(data)}`,
      )
      t.equal(expressions.evaluate(`{{ data["${name}"] }}`, { data }), null)
      t.equal(expressions.evaluate(`{{ data | map: "${name}" | first }}`, { data }), null)
    }
    t.equal(
      refusal(() => expressions.check(`{{ ${name} }}`)).fault,
      'syntax',
      `${name} is not a variable either`,
    )
  }
  const names = [...hostNames.split(' '), 'next', 'i', 'name', 'liquidMethodMissing', 'equals', 'gt']
  for (const name of names) {
    const loop = `{% for i in (1..3) %}{{ forloop.${name} }}{{ forloop["${name}"] }}{% endfor %}`
    t.equal(expressions.render(loop, { data: 1 }), name === 'length' ? '333333' : '', `forloop.${name}`)
    for (const value of ['empty', 'blank', 'nil', '"a"', '(1..2)'])
      t.equal(expressions.evaluate(`{{ ${value}.${name} }}`, { data: 1 }), null, `${value}.${name}`)
    const decimal = `{% assign x = 7.0 %}{{ x.${name} }}`
    t.equal(expressions.render(decimal, { data: 1 }), '', `${name} of a decimal`)
    const assigned = `{% if data %}{% assign ${name} = data %}{% endif %}{{ ${name} }}`
    t.equal(expressions.render(assigned, { data: 'x' }), 'x', `${name} as a variable`)
    t.equal(expressions.render(assigned, { data: false }), '', `${name} without a value`)
  }
  const own = { constructor: 'mine', length: 'mine', toString: 'mine' }
  t.equal(expressions.evaluate('{{ data.constructor }}', { data: own }), 'mine')
  t.equal(expressions.evaluate('{{ data["length"] }}', { data: own }), 'mine')
})

t.test('size, first and last are as in Liquid, and members of that name take precedence', async t => {
  const value = (text: string, data: Parameters<typeof expressions.evaluate>[1]['data']) =>
    expressions.evaluate(text, { data })
  t.equal(value('{{ data.size }}', ['a', 'b']), 2)
  t.equal(value('{{ data.size }}', 'ab😀'), 3)
  t.equal(value('{{ data.size }}', { a: 1, b: 2 }), 2)
  t.equal(value('{{ data.size }}', { size: 'XL' }), 'XL')
  t.equal(value('{{ data.first }}', ['a', 'b']), 'a')
  t.equal(value('{{ data.last }}', ['a', 'b']), 'b')
  t.equal(value('{{ data.name.first }}', { name: { first: 'John' } }), 'John')
  t.equal(value('{{ data.first }}', { a: 1 }), null)
  t.equal(value('{{ data[-1] }}', ['a', 'b']), 'b')
  t.equal(value('{{ data[5] }}', ['a', 'b']), null)
})

t.test('messages quote neither data nor text of the template', async t => {
  const secret = '4242424242424242'
  const texts = [
    `{{ data | ${secret} `,
    `{{ ${secret}x.y }} 1`,
    `${secret} {{ data | no_such: '${secret}' }}`,
    `${secret} {{ 'unclosed }}`,
    `{{ data "${secret}" }}`,
    `{% if "${secret}" ${secret} %}`,
    `{% ${secret}! %}`,
    `{% raw %}${secret}`,
    '{{ data | to_boolean }}',
    '{{ data | pad_left: data, data }}',
    "{{ data | append: '!' | json: '$.a' }}",
    '{{ data | json: data }}',
    '{{ data | base64_decode | url_decode }}%',
    '{{ data | times: data | times: data | times: data | times: 1e9 | card_mask: data }}',
    '{% for i in (1..data) %}{% endfor %}',
  ]
  for (const text of texts) {
    const error = refusal(() => expressions.render(text, { data: secret }))
    // A name that could be a misspelt filter, tag or variable is repeated.
    const named = /there is no (filter|tag|variable)/.test(error.message)
    t.ok(named || !`${error.message}${error.stack}`.includes(secret), `${text}: ${error.message}`)
  }
})

t.test('templates are parsed once, and the size of their cache is bounded', async t => {
  const small = testExpressions({ limits: { cachedTemplates: 3, cachedLength: 60 } })
  for (let turn = 0; turn < 3; turn++) {
    for (let index = 0; index < 10; index++)
      t.equal(small.render(`{{ data }}${index}`, { data: 'x' }), `x${index}`)
  }
  const long = `{{ data }}${'y'.repeat(100)}`
  t.equal(small.render(long, { data: 'x' }), `x${'y'.repeat(100)}`, 'longer than the cache may hold')
})

t.test('runs of a template share no state', async t => {
  const text =
    '{% if data %}{% assign x = data %}{% endif %}{{ x }}{% for i in (1..4) limit: 2 offset: continue %}{{ i }}{% endfor %}'
  t.equal(expressions.render(text, { data: 'first' }), 'first12')
  t.equal(expressions.render(text, { data: false }), '12')
})

t.test('expressions can share limits, which grow with all their data', async t => {
  const half = 'x'.repeat(50_000)
  const evaluate = expressions.withSharedLimits([{ data: half }, { data: half }])
  t.equal(evaluate('{{ data }}', { data: half }), half)
  t.equal(evaluate('{{ data }}', { data: half }), half)
  t.equal(evaluate('{{ data }}', { data: half }), half, 'the default limit on top of the size of the data')
  const found = refusal(() => evaluate('{{ data }}', { data: half }))
  t.match(found, { fault: 'limit', problem: /of text$/ })

  const counting = expressions.withSharedLimits([{ data: 1 }])
  const loop = '{% for i in (1..800) %}{% endfor %}'
  t.equal(counting(loop, { data: 1 }), '')
  t.equal(counting(loop, { data: 1 }), '')
  const seen = refusal(() => counting(loop, { data: 1 }))
  t.match(seen, { fault: 'limit', problem: /steps or more/ })
})

t.test('an internal error says only where it happened', async t => {
  const broken = testExpressions({
    random: () => {
      throw new TypeError('4242424242424242')
    },
  })
  const error = refusal(() => broken.render(' {{ data | alias_preserve_format }}', { data: '42' }))
  t.equal(error.message, 'cannot be evaluated (line 1, column 12)')
  t.equal(error.fault, 'internal')
  t.ok(error.cause instanceof TypeError)
})
