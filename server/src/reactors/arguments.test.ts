import fc from 'fast-check'
import t from 'tap'
import { ServiceError } from '../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import type { RequestParameterDefinition } from '../contract/types.ts'
import { fitArguments } from './arguments.ts'

t.test('no arguments take long to fit', async t => {
  const name = (length: number) => Array(length).fill('a').join('.')
  const parameters = Array.from({ length: 25 }, (_, index) => {
    return { name: `${name(95)}.p${index}`, type: 'string', optional: true } as const
  })
  // Every object has every beginning of the names as a key.
  const wide = (depth: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [name(index + 1), depth > 0 ? wide(depth - 1) : {}]),
    )
  const args = wide(2)
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]))
  fitArguments(parameters, args)
  t.same(fitArguments(parameters, many), {})
})

/** Only declared arguments that are present reach the formula. */
t.test('any arguments at all fit, or are refused', async t => {
  const key = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'constructor', 'toString', 'x')
  const { args } = fc.letrec<{ value: JsonValue; args: JsonObject }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>('1', 'true', 'x', 1, true, null, [1]),
      tie('args'),
    ),
    args: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }))
  const definitions = fc
    .uniqueArray(
      fc.tuple(
        fc.constantFrom('a', 'b', 'a.b', 'a.b.a', 'b.a', 'constructor'),
        fc.constantFrom('string', 'number', 'boolean'),
        fc.boolean(),
      ),
      {
        selector: ([name]) => name,
        minLength: 1,
      },
    )
    .map(all => all.map(([name, type, optional]) => ({ name, type, optional }) as RequestParameterDefinition))
  const leaves = (value: JsonValue, path: string): [string, JsonValue][] =>
    isJsonObject(value)
      ? Object.entries(value).flatMap(([name, member]) => leaves(member, path ? `${path}.${name}` : name))
      : [[path, value]]
  fc.assert(
    fc.property(definitions, args, (parameters, given) => {
      let fitted: ReturnType<typeof fitArguments>
      try {
        fitted = fitArguments(parameters, given)
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        const named = Object.keys(error.errors ?? {}).map(path => path.replace(/^args\./, ''))
        t.ok(named.length > 0 && named.every(name => parameters.some(one => one.name === name)))
        return
      }
      for (const [path, value] of leaves(fitted, '')) {
        const declared = parameters.find(({ name }) => name === path)
        t.ok(declared && typeof value === declared.type, `${path} is declared, and of its type`)
      }
      const there = new Set(leaves(fitted, '').map(([path]) => path))
      for (const { name, optional } of parameters) t.ok(optional || there.has(name), `${name} is there`)
    }),
  )
})
