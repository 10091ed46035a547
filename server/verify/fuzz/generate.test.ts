import t from 'tap'
import { encode, type FuzzCase, type Kind } from './case.ts'
import { Dice } from './dice.ts'
import { type Document, readDocument, type Schema } from './document.ts'
import { generate } from './generate.ts'
import { oversized } from './oversized/index.ts'
import { Values } from './values.ts'

const document = readDocument()
const many = (seed: string, count: number): FuzzCase[] =>
  Array.from({ length: count }, (_, number) => generate(document, seed, number))
const cases = many('cover', 3_000)
const bytesOf = (one: FuzzCase) => Buffer.from(encode(one.request, new Map(), 'trace')).toString('latin1')

t.test('a seed always makes the same cases, another seed makes others', async t => {
  const [first, again, other] = [many('a', 200), many('a', 200), many('b', 200)]
  t.same(first.map(bytesOf), again.map(bytesOf))
  t.same(
    first.map(({ prelude }) => prelude),
    again.map(({ prelude }) => prelude),
  )
  t.ok(first.filter((one, at) => bytesOf(one) !== bytesOf(other[at] as FuzzCase)).length > 190)
  t.equal(
    bytesOf(generate(document, 'a', 150)),
    bytesOf(first[150] as FuzzCase),
    'independent of cases made before',
  )
})

t.test('the cases cover every operation, and every kind for operations with a body', async t => {
  const count = (operation: string, kind: Kind) =>
    cases.filter(one => one.operation === operation && one.kind === kind).length
  for (const { id } of document.operations) {
    for (const kind of ['valid', 'grammar', 'mutated', 'wire'] as const)
      t.ok(count(id, kind) > 0, `${id} ${kind}`)
  }
})

t.test('values of every format and pattern of the contract match', async t => {
  const seen = new Set<string>()
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item)
    if (typeof value !== 'object' || value === null) return
    const { pattern, format } = value as Schema
    if (typeof pattern === 'string' || typeof format === 'string') seen.add(JSON.stringify(value))
    for (const member of Object.values(value)) walk(member)
  }
  for (const operation of document.operations)
    walk([operation.body, operation.parameters.map(({ schema }) => schema)])
  for (const name of namesOf(document)) walk(document.schema(name))
  t.ok(seen.size > 10)
  for (const text of seen) {
    const schema = JSON.parse(text) as Schema
    for (let round = 0; round < 20; round++) {
      const values = new Values(document, new Dice(`${text}/${round}`), { canary: 'c', strict: true })
      if (schema.format !== undefined && schema.pattern === undefined)
        t.type(values.format(schema.format, schema), 'string')
      else t.match(values.of({ ...schema, type: 'string' }), new RegExp(schema.pattern ?? ''))
    }
  }
})

function namesOf(document: Document): string[] {
  const names = new Set<string>()
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item)
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      const found = name === '$ref' ? /^#\/components\/schemas\/(\w+)$/.exec(String(member))?.[1] : undefined
      if (found !== undefined && !names.has(found)) {
        names.add(found)
        walk(document.schema(found))
      }
      walk(member)
    }
  }
  walk(document.operations.map(({ body }) => body))
  return [...names]
}

t.test('no request causes requests to another machine', async t => {
  const hosts = new Set<string>()
  for (const one of cases) {
    for (const [, url = ''] of bytesOf(one).matchAll(/"callback_url":"([^"\\]*)"/g)) {
      const filled = url.replace('@@sink@@', 'http://127.0.0.1:1')
      if (URL.canParse(filled)) hosts.add(new URL(filled).hostname)
    }
  }
  t.ok(hosts.size > 1)
  const here = new Set(['127.0.0.1', 'localhost', '[::1]', ''])
  for (const host of hosts) t.ok(here.has(host), host)
})

t.test('every oversized shape has a known operation and an allowed size', async t => {
  const shapes = oversized.flat()
  t.ok(shapes.length > 150)
  for (const { operation, title, make } of shapes) {
    const { body = '', target = '', prelude = [] } = make(new Dice(title))
    const size = body.length + target.length + prelude.reduce((sum, one) => sum + (one.body?.length ?? 0), 0)
    if (!document.operation(operation) || size === 0 || size > 7 * 2 ** 20) t.fail(title)
  }
})

t.test('the shapes that once took too long are included', async t => {
  const made = (title: RegExp, isWanted: (body: string) => boolean) => {
    const shapes = oversized.flat().filter(one => title.test(`${one.operation}: ${one.title}`))
    const rounds = Array.from({ length: 400 }, (_, round) => new Dice(`${round}`))
    t.ok(
      shapes.length > 0 && rounds.some(dice => shapes.some(one => isWanted(one.make(dice).body ?? ''))),
      `${title}`,
    )
  }
  made(/create: a long text as id$/, body => /"\{{24000}/.test(body))
  made(/create: a long text as a container$/, body => body.includes('a/'.repeat(60_000)))
  made(/applications.create: many bad rules$/, body => JSON.parse(body).rules.length === 9_000)
  made(/tokens.create: many bad metadata$/, body => body.length > 500_000)
  made(/tokens.create: a body of opened lists$/, body => body.startsWith('['.repeat(1_000_000)))
})
