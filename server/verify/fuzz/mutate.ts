import type { Dice } from './dice.ts'
import type { Document, Schema } from './document.ts'
import { anyText, awkwardNumbers, awkwardSpellings, awkwardTexts } from './grammar/texts.ts'
import { isLooseList, isLooseObject, type Loose, replaceAt, Spelled, writeJson } from './json-text.ts'

type Path = readonly (string | number)[]

interface Place {
  readonly path: Path
  readonly value: Loose
  /** Its schema in the contract, if any. */
  readonly schema: Schema | undefined
}

export interface Mutated {
  readonly body: Loose
  readonly title: string
}

/** Never mutated: a changed host in a callback URL could belong to somebody. */
const untouched = new Set(['callback_url'])

/** Makes one change in a body: a value beyond a bound, of another type, or with an unusual spelling. */
export function mutate(document: Document, dice: Dice, root: Loose, schema: Schema): Mutated {
  const places = placesOf(document, root, schema)
  const bounded = places.filter(place => edges(place).length > 0)
  if (bounded.length > 0 && dice.chance(0.4)) {
    const place = dice.pick(bounded)
    const [title, value] = dice.pick(edges(place))
    return changed(root, place, title, () => value)
  }
  const place = dice.pick(places)
  const { value } = place
  const kinds: [weight: number, title: string, change: (old: Loose) => Loose | undefined][] = [
    [4, 'another type', () => anotherType(dice, value)],
    [2, 'null', () => null],
    [2, 'left out', () => undefined],
    [3, 'an awkward text', () => dice.pick(awkwardTexts)],
    [3, 'a number in an awkward spelling', () => new Spelled(dice.pick(awkwardNumbers))],
    [2, 'a text in an awkward spelling', () => new Spelled(dice.pick(awkwardSpellings))],
    [2, 'deep nesting', () => nested(dice)],
    [1, 'a long text', () => 'x'.repeat(dice.pick([201, 1001, 10_001, 50_001]))],
    [1, 'many items', () => Array.from({ length: dice.pick([11, 26, 101, 1001]) }, () => value)],
    [1, 'within a list', () => [value]],
    [1, 'text of JSON', () => writeJson(value)],
  ]
  if (isLooseObject(value)) {
    kinds.push(
      [3, 'a member of any name', () => ({ ...value, [anyText(dice)]: anyText(dice) })],
      [2, 'a repeated member', () => repeated(dice, value)],
      [
        2,
        'a member __proto__',
        () =>
          new Spelled(
            `{"__proto__":{"a":1}${writeJson(value)
              .replace(/^\{(?=.)/, ',')
              .replace(/^,\}$/, '}')}`,
          ),
      ],
      [
        2,
        'members of Object.prototype',
        () => ({ ...value, constructor: { prototype: 1 }, toString: 1, valueOf: null }),
      ],
      [1, 'many members', () => ({ ...value, ...many(dice.pick([51, 500, 5000])) })],
    )
  }
  const [, title, change] = dice.weighted(kinds.map(kind => [kind[0], kind] as const))
  return changed(root, place, title, change)
}

function changed(
  root: Loose,
  { path }: Place,
  title: string,
  change: (old: Loose) => Loose | undefined,
): Mutated {
  const body = replaceAt(root, path, change) ?? null
  const where = path.length === 0 ? 'the body' : path.join('.').slice(0, 60)
  return { body, title: `${title} at ${where}` }
}

/** Lists every value of a body, with its schema if there is one. */
function placesOf(document: Document, root: Loose, schema: Schema): Place[] {
  const places: Place[] = []
  const walk = (value: Loose, path: Path, candidates: readonly Schema[]): void => {
    const known = candidates.flatMap(one => partsOf(document, one))
    places.push({ path, value, schema: known.find(one => hasBounds(one)) ?? known[0] })
    if (isLooseList(value)) {
      const items = known.flatMap(one => one.items ?? [])
      for (const [index, item] of value.entries()) walk(item, [...path, index], items)
    }
    if (!isLooseObject(value)) return
    for (const [name, member] of Object.entries(value)) {
      if (untouched.has(name)) continue
      const more = known.flatMap(one => {
        const own = one.properties?.[name] ?? one.additionalProperties
        return typeof own === 'object' ? [own] : []
      })
      walk(member, [...path, name], more)
    }
  }
  walk(root, [], [schema])
  return places
}

/** Returns a schema and the schemas that it combines. */
function partsOf(document: Document, given: Schema, depth = 0): Schema[] {
  const schema = document.resolve(given)
  if (depth > 4) return [schema]
  const parts = [schema.allOf, schema.oneOf, schema.anyOf].flatMap(list => list ?? [])
  return [schema, ...parts.flatMap(part => partsOf(document, part, depth + 1))]
}

const bounds = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'propertyNames',
] as const
const hasBounds = (schema: Schema) =>
  bounds.some(name => schema[name] !== undefined) || schema.enum !== undefined

/** Returns values on both sides of every bound of a place. */
function edges({ schema, value }: Place): (readonly [title: string, value: Loose])[] {
  if (!schema) return []
  const around = (name: (typeof bounds)[number], make: (size: number) => Loose) => {
    const bound = schema[name]
    if (typeof bound !== 'number') return []
    return [-1, 0, 1]
      .filter(by => bound + by >= 0)
      .map(by => [`${name} ${by < 0 ? by : `+${by}`}`, make(bound + by)] as const)
  }
  const item: Loose = isLooseList(value) ? (value[0] ?? 'x') : 'x'
  return [
    ...(['minLength', 'maxLength'] as const).flatMap(name => [
      ...around(name, size => stretched(value, size, '1')),
      ...around(name, size => stretched(value, size, '🙂')),
    ]),
    ...(['minimum', 'maximum'] as const).flatMap(name => around(name, size => size)),
    ...(['minItems', 'maxItems'] as const).flatMap(name =>
      around(name, size => Array.from({ length: size }, () => item)),
    ),
    ...around('maxProperties', many),
    ...(schema.propertyNames
      ? [['a name of 101', { ['n'.repeat(101)]: 'x' }] as const, ['a name of none', { '': 'x' }] as const]
      : []),
    ...(schema.enum ? [['not in the enum', `${schema.enum[0]} `] as const] : []),
  ]
}

function stretched(value: Loose, size: number, by: string): string {
  const text = typeof value === 'string' ? value : ''
  return ([...text].slice(0, size).join('') + by.repeat(size)).slice(
    0,
    size * (by.length > 1 && text === '' ? 2 : 1),
  )
}

function many(count: number): Record<string, Loose> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
}

function anotherType(dice: Dice, value: Loose): Loose {
  const others: Loose[] = [1, -1, 1.5, true, false, 'text', '', [], {}, [null], { a: null }, [[]]]
  return dice.pick(
    others.filter(one => typeof one !== typeof value || isLooseList(one) !== isLooseList(value)),
  )
}

function repeated(dice: Dice, value: Readonly<Record<string, Loose>>): Spelled {
  const name = dice.pick([...Object.keys(value), 'a'])
  const text = writeJson({ ...value, [name]: value[name] ?? 1 })
  const spelled = dice.pick([JSON.stringify(name), `"${[...name].map(escaped).join('')}"`])
  return new Spelled(`${text.slice(0, -1)},${spelled}:1}`)
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

function nested(dice: Dice): Spelled {
  const depth = dice.pick([60, 61, 62, 63, 64, 65, 200, 2000])
  return dice.chance(0.5)
    ? new Spelled('['.repeat(depth) + ']'.repeat(depth))
    : new Spelled(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
}
