import fc from 'fast-check'
import t from 'tap'
import { openTenant, openVault } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'

const vault = openVault(t)
const tenant = await openTenant(vault)

/** Names and texts that the door lets in; anything else is said about them elsewhere. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('{{', '{{ x', '}}', '{{ data }}', '{% if %}', 'type', 'constructor', 'toString'),
)
const name = text.filter(one => one !== '__proto__')
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(one => Number(one.toPrecision(15))),
)
const bare = fc.oneof(
  text,
  number.filter(one => !Object.is(one, -0) && isKept(one)),
  fc.boolean(),
)
const json = fc.letrec<{ any: JsonValue }>(tie => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    bare,
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 5 }),
    fc.dictionary(name, tie('any'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).any

/** Integers beyond what a double holds exactly are refused at the door. */
function isKept(one: number): boolean {
  return Number.isFinite(one) && (!Number.isInteger(one) || Number.isSafeInteger(one))
}

/** The leaves of a value: what is neither object nor array. */
function leaves(value: JsonValue): JsonValue[] {
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [value]
}

function mapLeaves(value: JsonValue, change: (leaf: JsonValue) => JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return change(value)
  if (Array.isArray(value)) return value.map(element => mapLeaves(element, change))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapLeaves(member, change)]))
}

const isBareOnly = (value: JsonValue): boolean =>
  value === null ||
  typeof value !== 'object' ||
  (!('type' in value && 'data' in value) && Object.values(value).every(isBareOnly))

async function post(path: string, payload: JsonValue): Promise<JsonValue> {
  const { status, text } = await tenant.send('POST', path, { raw: JSON.stringify(payload) })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}

t.test('what was tokenized comes back as it was, and in between only ids show', async t => {
  const payload = json.filter(value => value !== null && isBareOnly(value) && leaves(value).length <= 100)
  await fc.assert(
    fc.asyncProperty(payload, async value => {
      const tokens = await post('/tokenize', value)
      const ids = leaves(tokens)
      t.ok(ids.every(id => id === null || (typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id))))
      const real = ids.filter(id => id !== null)
      t.equal(new Set(real).size, real.length, 'each has a token of its own')
      const found = JSON.stringify(mapLeaves(tokens, () => null))
      t.equal(found, JSON.stringify(mapLeaves(value, () => null)), 'the shape is kept')
      const expressions = mapLeaves(tokens, id => (id === null ? null : `{{ ${id} }}`))
      t.equal(JSON.stringify(await post('/detokenize', expressions)), JSON.stringify(value))
    }),
    { numRuns: 150 },
  )
})

t.test('inside longer text it comes back as text', async t => {
  const around = text.filter(one => !/[{}]/.test(one))
  await fc.assert(
    fc.asyncProperty(bare, around, around, async (value, before, after) => {
      const id = await post('/tokenize', value)
      const written = typeof value === 'string' ? value : JSON.stringify(value)
      t.equal(await post('/detokenize', `${before}.{{ ${id} }}${after}`), `${before}.${written}${after}`)
    }),
    { numRuns: 100 },
  )
})
