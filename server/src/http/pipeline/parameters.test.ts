import t from 'tap'
import type { QueryParameter } from '../../contract/contract.ts'
import { parsePathParameters, parseQuery, withDefaults } from './parameters.ts'

const parameters: QueryParameter[] = [
  { name: 'id', kind: 'list', keySeparator: '.' },
  { name: 'page', kind: 'integer', keySeparator: '.' },
  { name: 'name', kind: 'text', keySeparator: '.' },
  { name: 'metadata', kind: 'map', keySeparator: '.' },
]
const read = (query: string) => JSON.parse(JSON.stringify(parseQuery(query, parameters)))

t.test('lists repeat, integers are numbers, maps have a key in the name', async t => {
  const found = read('id=a&id=b&page=2&name=x+y%20z&metadata.k.1=v%26w')
  t.same(found, { id: ['a', 'b'], page: 2, name: 'x y z', metadata: { 'k.1': 'v&w' } })
})

t.test('the first value of a repeated key of a map counts', async t => {
  t.same(read('metadata.a=1&metadata.b=2&metadata.a=3'), { metadata: { a: '1', b: '2' } })
})

t.test('a map has three spellings, which mean the same', async t => {
  const metadata = { 'k.1': 'v', k: 'a b', '[x]': '' }
  for (const query of [
    'metadata.k.1=v&metadata.k=a+b&metadata.[x]=',
    'metadata[k.1]=v&metadata%5Bk%5D=a%20b&metadata%5B%5Bx%5D%5D=',
    `metadata=${encodeURIComponent(JSON.stringify(metadata))}`,
    'metadata={"k":"a+b","[x]":""}&metadata[k.1]=v&metadata.k=other&metadata={"k":"other"}',
  ])
    t.same(read(query), { metadata }, query)
  t.same(read('metadata={}'), { metadata: {} })
  t.same(read('metadata={"k":1}'), { metadata: { k: 1 } }, 'the contract refuses what is no text')
})

t.test('names of Object.prototype are ordinary keys', async t => {
  const { metadata } = parseQuery('metadata.__proto__=1&metadata.constructor=2', parameters)
  const found = Object.entries(metadata as object)
  t.same(found, [
    ['__proto__', '1'],
    ['constructor', '2'],
  ])
})

t.test('unknown parameters are refused with the right spelling', async t => {
  const refuse = (query: string, known = parameters) => parseQuery(query, known)
  refuse('id=a&metadata.a.b=1&&page')
  for (const [query, name, right] of [
    ['ID%5B%5D=a', 'ID[]', /did you mean id, once for each value\?/],
    ['metadata[]=1', 'metadata[]', /did you mean metadata\.KEY\?/],
    ['metadata[a][b]=1', 'metadata[a][b]', /did you mean metadata\.KEY\?/],
    ['metadata[a=1', '?', /did you mean metadata\.KEY\?/],
    ['metadata=', 'metadata', /^is not well-formed JSON; did you mean metadata\.KEY\?/],
    ['metadata=x', 'metadata', /^is not well-formed JSON; did you mean metadata\.KEY\?/],
    ['metadata=%5B%22x%22%5D', 'metadata', /^is not a JSON object; did you mean metadata\.KEY\?/],
    ['metadata={"a":"1","a":"2"}', 'metadata.a', /is there twice; did you mean metadata\.KEY\?/],
    ['metadataa=1', 'metadataa', /did you mean metadata\?/],
    // Two URLs that were joined.
    ['?id=a', '?id', /did you mean id, once for each value\?/],
    ['?metadata.a=1', '?metadata.a', /did you mean metadata\.KEY\?/],
    ['%3Fname=x', '?name', /did you mean name\?/],
    ['?', '?', /the parameters are/],
    ['nam=x', 'nam', /did you mean name\?/],
    ['limit=1', 'limit', /the parameters are id, page, name, metadata\.KEY$/],
    ['4242424242424242', '?', /the parameters are/],
    ['x[4242424242424242]', '?', /the parameters are/],
  ] as const)
    t.throws(() => refuse(query), { code: 'validation', errors: { [name]: [right] } }, query)
  t.throws(() => refuse('a=1', []), { code: 'validation', errors: { a: [/no query parameters/] } })
})

t.test('a text that is not an integer is left for the contract to refuse', async t => {
  t.same(read('page=0x10'), { page: '0x10' })
  t.same(read('page='), { page: '' })
  t.same(read('page'), { page: '' })
})

t.test('a repeated single parameter, and bytes that are not UTF-8, are refused by name', async t => {
  t.throws(() => read('page=1&page=2'), { code: 'validation', errors: { page: [/once/] } })
  t.throws(() => read('name=%ff'), { code: 'validation', errors: { name: [/UTF-8/] } })
  const broken = () => parsePathParameters({ id: '%zz' })
  t.throws(broken, { code: 'validation', errors: { id: [/UTF-8/] } })
})

t.test('a path parameter is decoded, and a UUID becomes lower case', async t => {
  t.same(parsePathParameters({ id: 'A+b%20%43' }), { id: 'A+b C' })
  const id = '01ABCDEF-1234-4C55-9A53-0F3B8A6F1C11'
  t.same(parsePathParameters({ id, other: `%30${id.slice(1)}` }), {
    id: id.toLowerCase(),
    other: id.toLowerCase(),
  })
  t.same(parsePathParameters({ id: `${id}0` }), { id: `${id}0` })
})

t.test('the defaults of the contract stand for what a query leaves out', t => {
  const size = { name: 'size', kind: 'integer', keySeparator: '.', default: 20 } as const
  const tag = { name: 'tag', kind: 'text', keySeparator: '.' } as const
  const query = parseQuery('tag=x', [size, tag])
  t.same(withDefaults(query, [size, tag]), { size: 20, tag: 'x' })
  t.same(query, { tag: 'x' }, 'the query itself stays as it was sent')
  t.same(withDefaults({ size: 0 }, [size, tag]), { size: 0 })
  t.end()
})
