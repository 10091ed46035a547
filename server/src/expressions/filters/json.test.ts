import fc from 'fast-check'
import t from 'tap'
import type { JsonValue } from '../../base/json/json.ts'
import { refusal, testExpressions } from '../_fixture.ts'

const expressions = testExpressions()
const data = {
  books: [
    {
      category: 'fiction',
      author: 'Herman Melville',
      title: 'Moby Dick',
      price: 8.99,
      tags: ['sea', 'whale'],
    },
    {
      category: 'fantasy',
      author: 'J. R. R. Tolkien',
      title: 'The Lord of the Rings',
      price: 22.99,
      rare: null,
    },
  ],
  bicycle: { color: 'red', price: 19.95, 'wheel size': 28 },
  "it's": 'quoted',
  constructor: 'own',
}
const find = (path: string, from: JsonValue = data) =>
  expressions.evaluate('{{ data.from | json: data.path }}', { data: { from, path } })

t.test('a path that finds one value returns it with its type', async t => {
  const found: readonly [path: string, value: JsonValue][] = [
    ['$', data],
    ['$.bicycle.color', 'red'],
    ['$.bicycle.price', 19.95],
    ['$.bicycle', data.bicycle],
    ["$['bicycle']['wheel size']", 28],
    ['$["bicycle"].color', 'red'],
    ["$['it\\'s']", 'quoted'],
    ['$.books[0].author', 'Herman Melville'],
    ['$.books[-1].title', 'The Lord of the Rings'],
    ['$.books[?(@.price < 10)].title', 'Moby Dick'],
    ['$.books[?@.price<10].title', 'Moby Dick'],
    ["$.books[?(@.category == 'fantasy' && @.price >= 22.99)].author", 'J. R. R. Tolkien'],
    ['$.books[?(@.price > 100 || @.tags)].title', 'Moby Dick'],
    ['$.books[?(!@.tags)].title', 'The Lord of the Rings'],
    ['$.books[?(@.rare == null)].title', 'The Lord of the Rings'],
    ["$.books[?(@.tags[0] == 'sea')].price", 8.99],
    ["$.books[?(@['price'] != 8.99)].price", 22.99],
    ['$.books[1:].title', 'The Lord of the Rings'],
    ['$.books[:1].title', 'Moby Dick'],
    ['$.books[0].tags[1:2]', 'whale'],
    ['$..color', 'red'],
    ['$..tags[0]', 'sea'],
    ["$..['wheel size']", 28],
    ['$.books[0][?(@ == 8.99)]', 8.99],
    ['$.constructor', 'own'],
  ]
  for (const [path, value] of found) t.strictSame(find(path), value, path)
})

t.test('a path that finds nothing returns null', async t => {
  for (const path of [
    '$.nowhere',
    '$.books[9]',
    '$.books.title',
    '$.bicycle.color.length',
    '$.bicycle[0]',
    '$..nowhere',
    '$.books[?(@.price > 100)].title',
    '$.books[0].price.x',
    '$.toString',
    '$.books.length',
    '$.bicycle.__proto__',
    '$.books[5:9]',
  ])
    t.equal(find(path), null, path)
  t.equal(find('$.a', null), null, 'null gives null')
})

t.test('more than one value is an error, and so is a path that is not valid', async t => {
  for (const path of [
    '$.books[*].author',
    '$..author',
    '$.books[0:2]',
    '$.*',
    '$.bicycle[*]',
    '$.books[?(@.price)]',
  ])
    t.match(refusal(() => find(path)).problem, 'finds more than one value', path)
  const none = ['', 'books', '$books', '$.', '$.books[', '$.books[a]', '$[?(@.a=1)]', '$[?(@.a==)]', '$[?(1']
  const more = [
    '$.a b',
    "$['a",
    '$.a[1,2]',
    '$.a[?(@.b =~ /x/)]',
    '$.a[(@.length-1)]',
    '$..',
    '@.a',
    '$[?(@..a)]',
  ]
  for (const path of [...none, ...more]) {
    const found = refusal(() => find(path)).problem
    t.match(found, /json takes a JSONPath; this one is not valid at character \d+/, path)
  }
  t.match(refusal(() => find(`$${'.a'.repeat(1_000)}`)).problem, 'at most 1000 characters')
  t.equal(refusal(() => expressions.check('{{ data | json }}')).fault, 'syntax', 'the path is required')
})

t.test('text that is JSON is accepted, and no other text', async t => {
  t.equal(find('$.number', '{"number":"4242"}'), '4242')
  t.equal(find('$[1]', '[1,2]'), 2)
  for (const text of [
    'plain',
    '{"a":1',
    '{"a":1,"a":2}',
    '{"__proto__":1}',
    `${'['.repeat(65)}${']'.repeat(65)}`,
  ])
    t.match(refusal(() => find('$.a', text)).problem, 'text that is JSON', text)
})

t.test('generated paths find the same values as JavaScript', async () => {
  const names = fc.string({ unit: fc.constantFrom(..."ab'\\ .[0é"), minLength: 1, maxLength: 4 })
  const steps = fc.array(fc.oneof(names, fc.nat(3)), { maxLength: 5 })
  fc.assert(
    fc.property(steps, fc.integer(), (path, value) => {
      const tree = path.reduceRight<JsonValue>((inner, step) => {
        if (typeof step === 'string') return { [step]: inner, other: 0 }
        return [...Array<null>(step).fill(null), inner]
      }, value)
      const quoted = path.map(step =>
        typeof step === 'number' ? `[${step}]` : `['${step.replace(/['\\]/g, '\\$&')}']`,
      )
      return find(`$${quoted.join('')}`, tree) === value
    }),
  )
})
