import t from 'tap'
import { testExpressions } from './_fixture.ts'

const expressions = testExpressions()
const data = { number: '4242424242424242', month: 12, name: null, list: ['a', 'b'] }

t.test('each expression of a tree is replaced by its value with its type; the rest stays', async t => {
  const tree = {
    number: '{{ data.number | reveal_last: 4 }}',
    nested: [{ month: '{{ data.month }}' }, 'as it is', 7, true, null],
    list: '{{ data.list }}',
    empty: {},
  }
  t.strictSame(expressions.evaluateTree(tree, { data }), {
    number: 'XXXXXXXXXXXX4242',
    nested: [{ month: 12 }, 'as it is', 7, true, null],
    list: ['a', 'b'],
    empty: {},
  })
  t.equal(expressions.evaluateTree('{{ data.month }}', { data }), 12)
  t.equal(expressions.evaluateTree(5, { data }), 5)
})

t.test('expressions that fail or give null are left out of objects and lists', async t => {
  const tree = {
    fails: '{{ data.number | to_boolean }}',
    unread: '{{ data | }}',
    missing: '{{ data.missing }}',
    kept: '{{ data.month }}',
    list: ['{{ data.name }}', '{{ data.month }}', { inner: '{{ data.list | to_number }}' }],
  }
  t.strictSame(expressions.evaluateTree(tree, { data }), { kept: 12, list: [12, {}] })
  const paths = expressions.checkTree(tree, { data }).problems.map(({ path }) => path)
  t.strictSame(paths, ['fails', 'unread', 'list.2.inner'], 'null is not an error')
})

t.test('a tree that is one expression is undefined if it fails or gives null', async t => {
  t.equal(expressions.evaluateTree('{{ data.missing }}', { data }), undefined)
  t.equal(expressions.evaluateTree('{{ data | to_number }}', { data }), undefined)
})

t.test('checkTree reports every expression that is not valid or fails, with its path', async t => {
  const tree = {
    a: { b: ['{{ data.month }}', '{{ data | upcse }}'] },
    c: '{{ data.list | to_string }}',
    d: '{{ x }}',
  }
  t.match(expressions.checkTree(tree, { data }).problems, [
    { path: 'a.b.1', message: /upcase/ },
    { path: 'c', message: /to_string takes text/ },
    { path: 'd', message: /no variable "x"/ },
  ])
  const found = expressions.checkTree({ a: '{{ data.missing }}', b: 1 }, { data }).problems
  t.strictSame(found, [], 'null is not a problem')
  t.match(expressions.checkTree('{{', { data }).problems, [{ path: '' }])
})

t.test('a name that could be a sensitive value is not repeated in a path', async t => {
  const tree = { '4242 4242': { ok: '{{' }, [`x${'y'.repeat(100)}`]: '{{' }
  t.match(expressions.checkTree(tree, { data }).problems, [{ path: '?.ok' }, { path: '?' }])
})

t.test('names that are special in JavaScript are ordinary members', async t => {
  const tree = JSON.parse('{"__proto__":"{{ data.month }}","constructor":"{{ data.month }}"}')
  const filled = expressions.evaluateTree(tree, { data })
  t.equal(JSON.stringify(filled), '{"__proto__":12,"constructor":12}')
  t.equal(Object.getPrototypeOf(filled), Object.prototype)
})

t.test('the expressions of a tree share their limits', async t => {
  const counting = `{% for i in (1..400) %}{% endfor %}{{ data.month }}`
  t.equal(expressions.evaluate(counting, { data }), '12', 'control: one alone')
  const tree = Array.from({ length: 10 }, () => counting)
  const filled = expressions.evaluateTree(tree, { data })
  const evaluated = Array.isArray(filled) ? filled.length : 0
  t.ok(evaluated > 1 && evaluated < 10, 'some, then no more')
  const problems = expressions.checkTree(tree, { data }).problems
  t.match(problems, [{ path: String(evaluated), message: /takes \d+ steps or more/ }])
  t.equal(problems.length, 1, 'one problem is reported')

  const few = testExpressions({ limits: { treeExpressions: 2 } })
  const four = Array(4).fill('{{ data }}')
  t.strictSame(few.evaluateTree(four, { data: 1 }), [1, 1], 'their number is limited')
  const message = 'there are more than 2 expressions'
  t.strictSame(few.checkTree(four, { data: 1 }).problems, [{ path: '2', message }])

  const large = { data: 'x'.repeat(30_000) }
  const copies = expressions.evaluateTree(Array(100).fill('{{ data }}'), large)
  t.ok(Array.isArray(copies) && copies.length === 3, 'the length of their results is limited')
  const texts = expressions.evaluateTree(Array(100).fill('x{{ data }}'), large)
  t.ok(Array.isArray(texts) && texts.length === 3, 'also of results that are text')

  const long = Array.from({ length: 100 }, (_, index) => `{{ data.month }}{% # ${'x'.repeat(900)}${index} %}`)
  const read = expressions.evaluateTree(long, { data })
  t.ok(Array.isArray(read) && read.length > 10 && read.length < 40, 'parsing counts too')
})

t.test('the number of reported problems is limited', async t => {
  const slips = Array(500).fill('{{ data | revael: 1 }}')
  t.equal(expressions.checkTree(slips, { data }).problems.length, 10)
  const rest = expressions.evaluateTree([...slips, '{{ data.month }}'], { data })
  t.strictSame(rest, [], 'expressions that are not valid count towards the limits')
  t.strictSame(expressions.evaluateTree([...slips.slice(0, 9), '{{ data.month }}'], { data }), [12])
})
