import t from 'tap'
import { testExpressions } from './_fixture.ts'

const expressions = testExpressions()
const data = { number: '4242424242424242', month: 12, name: null, list: ['a', 'b'] }

t.test('every expression of a tree is evaluated, with its type; all else stays as it is', async t => {
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

t.test('what fails or gives null is left out, of objects and of lists', async t => {
  const seen: string[] = []
  const tree = {
    fails: '{{ data.number | to_boolean }}',
    unread: '{{ data | }}',
    missing: '{{ data.missing }}',
    kept: '{{ data.month }}',
    list: ['{{ data.name }}', '{{ data.month }}', { inner: '{{ data.list | to_number }}' }],
  }
  const filled = expressions.evaluateTree(tree, { data }, path => seen.push(path))
  t.strictSame(filled, { kept: 12, list: [12, {}] })
  t.strictSame(seen, ['fails', 'unread', 'list.2.inner'], 'null is no error')
})

t.test('a root that fails or gives null is undefined', async t => {
  t.equal(expressions.evaluateTree('{{ data.missing }}', { data }), undefined)
  t.equal(expressions.evaluateTree('{{ data | to_number }}', { data }), undefined)
})

t.test('checkTree names every expression that cannot be read or fails, by its path', async t => {
  const tree = {
    a: { b: ['{{ data.month }}', '{{ data | upcse }}'] },
    c: '{{ data.list | to_string }}',
    d: '{{ x }}',
  }
  t.match(expressions.checkTree(tree, { data }), [
    { path: 'a.b.1', message: /upcase/ },
    { path: 'c', message: /to_string takes text/ },
    { path: 'd', message: /no variable "x"/ },
  ])
  t.strictSame(expressions.checkTree({ a: '{{ data.missing }}', b: 1 }, { data }), [], 'null is no problem')
  t.match(expressions.checkTree('{{', { data }), [{ path: '' }])
})

t.test('a name that could be a value is not repeated in a path', async t => {
  const tree = { '4242 4242': { ok: '{{' }, [`x${'y'.repeat(100)}`]: '{{' }
  t.match(expressions.checkTree(tree, { data }), [{ path: '?.ok' }, { path: '?' }])
})

t.test('names that mean something to the host are members like others', async t => {
  const tree = JSON.parse('{"__proto__":"{{ data.month }}","constructor":"{{ data.month }}"}')
  const filled = expressions.evaluateTree(tree, { data })
  t.equal(JSON.stringify(filled), '{"__proto__":12,"constructor":12}')
  t.equal(Object.getPrototypeOf(filled), Object.prototype)
})

t.test('the expressions of a tree share their limits', async t => {
  const counting = `{% for i in (1..4000) %}{% endfor %}{{ data.month }}`
  t.equal(expressions.evaluate(counting, { data }), '12', 'control: one alone')
  const tree = Array.from({ length: 10 }, () => counting)
  const filled = expressions.evaluateTree(tree, { data })
  t.ok(Array.isArray(filled) && filled.length > 1 && filled.length < 10, 'some, then no more')
  t.match(expressions.checkTree(tree, { data }).at(-1), { path: '9', message: /takes more than 20000 steps/ })

  const few = testExpressions({ limits: { treeExpressions: 2 } })
  t.strictSame(few.evaluateTree(['{{ data }}', '{{ data }}', '{{ data }}'], { data: 1 }), [1, 1])

  const large = { data: 'x'.repeat(30_000) }
  const copies = expressions.evaluateTree(Array(100).fill('{{ data }}'), large)
  t.ok(Array.isArray(copies) && copies.length === 3, 'and the length of what they give')
})

t.test('no more problems are collected than anyone reads', async t => {
  t.equal(expressions.checkTree(Array(500).fill('{{'), { data }).length, 20)
})
