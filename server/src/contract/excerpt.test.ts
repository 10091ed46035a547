import fc from 'fast-check'
import t from 'tap'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { type Operation, readDocument } from './contract.ts'
import { excerptOf, namesIn } from './excerpt.ts'
import { Validators } from './validators.ts'

const validators = new Validators('SVC')
const document: JsonValue = JSON.parse(readDocument('SVC'))
const named = namesIn(document)

/** Every value of a keyword in the contract's schemas. */
function valuesOf(keyword: string, node: JsonValue = document): number[] {
  if (typeof node !== 'object' || node === null) return []
  const own = (node as JsonObject)[keyword]
  return [
    ...(typeof own === 'number' ? [own] : []),
    ...Object.values(node).flatMap(child => valuesOf(keyword, child)),
  ]
}

t.test('what breaks a size of the contract breaks it in the excerpt', async t => {
  for (const [keyword, whole] of [
    ['maxItems', (size: number) => Array(size + 1).fill(0)],
    [
      'maxProperties',
      (size: number) => Object.fromEntries(Array.from({ length: size + 1 }, (_, index) => [`k${index}`, 0])),
    ],
    ['maxLength', (size: number) => '😀'.repeat(size + 1)],
  ] as const) {
    const sizes = valuesOf(keyword)
    t.ok(sizes.length > 0, keyword)
    for (const size of sizes) {
      const { value } = excerptOf(whole(size), new Set())
      const kept = typeof value === 'string' ? Array.from(value).length : Object.keys(value as object).length
      t.ok(kept > size, `${keyword} ${size}`)
    }
  }
})

t.test('a list is cut, an object keeps members that the contract names, the rest is as it was', async t => {
  const many = (count: number, value: JsonValue) => Array<JsonValue>(count).fill(value)
  const others = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`other_${index}`, index]))
  t.match(excerptOf(many(5_000, 1), named), { isCut: true, value: { length: 101 } })
  t.match(excerptOf([many(5_000, 1)], named), { isCut: true, value: [{ length: 26 }] })
  const { value, isCut } = excerptOf({ ...others, type: 'card', data: { ...others, number: '1' } }, named)
  t.match(
    { isCut, value },
    { isCut: true, value: { type: 'card', data: { number: '1', other_0: 0 }, other_100: 100 } },
  )
  t.ok(Object.keys(value as object).length < 110)
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), json => {
      const excerpt = excerptOf(json as JsonValue, new Set())
      return !excerpt.isCut && JSON.stringify(excerpt.value) === JSON.stringify(json)
    }),
  )
})

/** A body of about a megabyte, and how many errors it may be refused with. */
const hostile: readonly (readonly [name: string, operation: string, body: () => JsonValue])[] = [
  ['rules', 'applications.create', () => ({ name: 'a', type: 'private', rules: Array(300_000).fill({}) })],
  [
    'conditions of rules',
    'applications.create',
    () => ({
      name: 'a',
      type: 'private',
      rules: Array(100).fill({ conditions: Array(3_000).fill({}), permissions: Array(500).fill(0) }),
    }),
  ],
  [
    'permissions',
    'applications.create',
    () => ({ name: 'a', type: 'private', permissions: Array(500_000).fill(0) }),
  ],
  ['metadata', 'tokens.create', () => ({ type: 'token', data: 1, metadata: members(100_000) })],
  ['data', 'tokens.create', () => ({ type: 'card', data: members(100_000) })],
  ['containers', 'tokens.create', () => ({ type: 'token', data: 1, containers: Array(250_000).fill('x') })],
  [
    'search indexes',
    'tokens.create',
    () => ({ type: 'token', data: 1, search_indexes: Array(500_000).fill(0) }),
  ],
  [
    'parameters',
    'reactorFormulas.create',
    () => ({ name: 'a', type: 'private', code: '', request_parameters: Array(300_000).fill({}) }),
  ],
]
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`member_${index}`, 0]))

const operations = new Map<string, Operation>(validators.operations.map(one => [one.id, one]))

async function refusal(id: string, requestBody: JsonValue) {
  const operation = operations.get(id)
  if (!operation) throw new Error(`no operation ${id}`)
  try {
    validators.checkRequest(operation, { path: {}, query: {}, idempotencyKey: undefined, requestBody })
  } catch (error) {
    return error as { message: string; errors: Record<string, string[]> }
  }
  throw new Error('was accepted')
}

t.test('a megabyte of errors is refused with a hundred of them, in a short answer', async t => {
  for (const [name, id, body] of hostile) {
    const { message, errors } = await refusal(id, body())
    const messages = Object.values(errors).flat()
    t.ok(messages.length > 0 && messages.length <= 100, `${name}: ${messages.length} errors`)
    t.ok(JSON.stringify(errors).length < 40_000, `${name}: ${JSON.stringify(errors).length} characters`)
    t.match(message, /there may be more errors than are listed$/, name)
  }
})

t.test('an error behind all that is looked at closely is found all the same', async t => {
  const permissions = [...Array(200).fill('token:read'), 0]
  const { errors } = await refusal('applications.create', { name: 'a', type: 'private', permissions })
  const found = Object.keys(errors).some(path => path.startsWith('permissions'))
  t.ok(found, JSON.stringify(errors))
})

t.test('twice as many errors cost about twice as much', async t => {
  const steps = async (count: number) => {
    let read = 0
    // Counts what is read of the rules, however they are validated.
    const rules = Array.from({ length: count }, () =>
      Object.defineProperty({}, 'priority', {
        enumerable: true,
        get: () => {
          read++
          return 0
        },
      }),
    )
    await refusal('applications.create', { name: 'a', type: 'private', rules } as unknown as JsonValue)
    return read
  }
  const [some, twice] = [await steps(2_000), await steps(4_000)]
  t.ok(twice <= some + 4_000, `${some} and ${twice} reads`)
})
