import fc from 'fast-check'
import t from 'tap'
import { encode, type FuzzCase, kinds } from './case.ts'
import { readDocument, type Schema } from './document.ts'
import { toRequest } from './drafts.ts'
import { drawFrom } from './draw.ts'
import { Generator } from './generate.ts'
import { hugeValue } from './odd.ts'
import { type Json, writeJson } from './texts.ts'

const document = readDocument()
const generator = new Generator(document)
const many = (seed: string, count: number, ...kind: Parameters<Generator['generate']>[2][]): FuzzCase[] =>
  Array.from({ length: count }, (_, number) => generator.generate(seed, number, ...kind))
const bytesOf = (one: FuzzCase) => Buffer.from(encode(one.request, new Map(), 'trace')).toString('latin1')

t.test('a seed always makes the same cases, another seed makes others', async t => {
  const [first, other] = [many('a', 200), many('b', 200)]
  t.same(many('a', 200), first)
  t.ok(first.filter((one, at) => bytesOf(one) !== bytesOf(other[at] as FuzzCase)).length > 190)
  t.same(new Generator(document).generate('a', 150), first[150], 'independent of cases made before')
})

const cases = many('cover', 4_000)

t.test('the cases cover every operation in every kind that is made from the contract', async t => {
  const has = (kind: string, operation?: string) =>
    cases.some(one => one.kind === kind && (operation ?? one.operation) === one.operation)
  for (const kind of kinds) t.ok(has(kind), kind)
  for (const { id } of document.operations)
    for (const kind of ['valid', 'grammar', 'mutated', 'wire']) t.ok(has(kind, id), `${id} ${kind}`)
})

t.test('parameters may have any text as their name and value', async t => {
  const [operation] = document.operations
  if (!operation) throw new Error('the contract has operations')
  const plain = { prelude: [], path: '/tokens', key: '', body: undefined, headers: [], byFormula: false }
  const { target } = toRequest({ ...plain, operation, query: [['\ud800', '\udc00']] })
  t.equal(target, '/tokens?%EF%BF%BD=%EF%BF%BD')
})

t.test('no request causes requests to another machine', async t => {
  const urls = cases.flatMap(one =>
    [...bytesOf(one).matchAll(/"callback_url":"([^"\\]*)"/g)].map(([, url = '']) => url),
  )
  const filled = urls
    .map(url => url.replace(/@@.*?@@/, 'http://127.0.0.1:1'))
    .filter(url => URL.canParse(url))
  const hosts = new Set(filled.map(url => new URL(url).hostname))
  t.ok(hosts.size > 1)
  for (const host of hosts) t.ok(['127.0.0.1', 'localhost', '[::1]', ''].includes(host), host)
})

t.test('what once took too long is made', async t => {
  const wanted: readonly (readonly [schema: Schema, usual: Json, isMade: (json: string) => boolean])[] = [
    [{ type: 'string' }, 'id', json => json.startsWith(`"${'{'.repeat(20_000)}`)],
    [{ type: 'array' }, '/a/', json => json.includes('a/'.repeat(40_000))],
    [{ type: 'object' }, 'metadata', json => json.startsWith('{"k0"') && json.length > 400_000],
    [{ type: 'object' }, 'a body', json => json.startsWith('['.repeat(400_000))],
    [{ type: 'array' }, { priority: 1 }, json => json.startsWith('['.padEnd(150_000, '{"priority":1},'))],
  ]
  for (const [at, [schema, usual, isMade]] of wanted.entries()) {
    const isDrawn = (number: number) =>
      isMade(writeJson(drawFrom(`${number}`, draw => draw(hugeValue(schema, fc.constant(usual))))))
    t.ok(Array.from({ length: 3_000 }, (_, number) => number).some(isDrawn), `the shape ${at}`)
  }
})
