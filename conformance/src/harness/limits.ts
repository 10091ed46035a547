import { isObject } from './finding.ts'

/** A schema of the contract, with the keywords that limit a value. */
export interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly propertyNames?: Schema
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly maxProperties?: number
}

/** A value that breaks one rule of a schema, and which. */
interface Broken {
  readonly what: string
  readonly value: unknown
}

type Json = Record<string, unknown>
type End = 'most' | 'least'

/** Changes a valid value to one at or beyond the limits that a schema sets for its parts. */
export class Limits {
  readonly #find: (pointer: string) => unknown

  /** @param find returns the part of the contract at a pointer */
  constructor(find: (pointer: string) => unknown) {
    this.#find = find
  }

  /** Returns the value with all its parts at their upper or lower limits. */
  at(schema: Schema, value: unknown, end: End): unknown {
    const parts = this.#partsOf(schema, value)
    let made = value
    if (Array.isArray(made))
      made = made.map((item, index) => withPriority(this.at(itemsOf(parts), item, end), index))
    else if (isObject(made))
      made = Object.fromEntries(
        Object.entries(made).map(([name, inner]) => [name, this.at(memberOf(parts, name), inner, end)]),
      )
    for (const part of parts) made = atEnd(part, made, end)
    return made
  }

  /** Returns the value with one rule broken, for each rule of the schema. */
  beyond(schema: Schema, value: unknown, path = ''): Broken[] {
    const parts = this.#partsOf(schema, value)
    const made = parts.flatMap(part =>
      brokenBy(part, value).map(one => ({ ...one, what: `${path} ${one.what}` })),
    )
    const inside = (name: string | number, inner: Schema, put: (changed: unknown) => unknown) =>
      this.beyond(inner, (value as Json)[name], path === '' ? String(name) : `${path}.${name}`).map(one => ({
        ...one,
        value: put(one.value),
      }))
    if (Array.isArray(value))
      for (const index of value.keys())
        made.push(...inside(index, itemsOf(parts), changed => value.with(index, changed)))
    else if (isObject(value))
      for (const name of Object.keys(value))
        made.push(...inside(name, memberOf(parts, name), changed => ({ ...value, [name]: changed })))
    return made
  }

  /** The schemas that apply to a value: itself, those that it includes, and those alternatives that fit the value. */
  #partsOf(given: Schema, value: unknown): Schema[] {
    const schema = given.$ref === undefined ? given : (this.#find(given.$ref) as Schema)
    if (schema !== given) return this.#partsOf(schema, value)
    const fitting = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap(one => {
      const parts = this.#partsOf(one, value)
      return parts.every(part => this.#fits(part, value)) ? parts : []
    })
    return [schema, ...(schema.allOf ?? []).flatMap(one => this.#partsOf(one, value)), ...fitting]
  }

  #fits({ required = [], properties = {} }: Schema, value: unknown): boolean {
    if (!isObject(value)) return required.length === 0
    const isRight = ([name, inner]: [string, Schema]) =>
      inner.const === undefined || inner.const === value[name]
    return required.every(name => value[name] !== undefined) && Object.entries(properties).every(isRight)
  }
}

const memberOf = (parts: readonly Schema[], name: string): Schema => ({
  allOf: parts.flatMap(({ properties, additionalProperties }) =>
    properties?.[name]
      ? properties[name]
      : typeof additionalProperties === 'object'
        ? additionalProperties
        : [],
  ),
})
const itemsOf = (parts: readonly Schema[]): Schema => ({
  allOf: parts.flatMap(({ items }) => items ?? []),
})

/** Returns the value at the limits of a schema, without those of its parts. */
function atEnd(schema: Schema, value: unknown, end: End): unknown {
  const isMost = end === 'most'
  if (typeof value === 'string') {
    const length = isMost ? schema.maxLength : schema.minLength
    return length === undefined ? value : ofLength(schema, value, length)
  }
  if (typeof value === 'number') return (isMost ? schema.maximum : schema.minimum) ?? value
  if (Array.isArray(value)) {
    const count = isMost ? schema.maxItems : schema.minItems
    return count === undefined ? value : ofCount(schema, value, count)
  }
  if (isObject(value) && isMost) return withNames(schema, value)
  return value
}

function brokenBy(schema: Schema, value: unknown): Broken[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const made: [string, unknown][] = []
  if (schema.enum || schema.const !== undefined) made.push(['another value', 'another'])
  if (typeof value === 'string') {
    if (maxLength !== undefined) made.push(['too long', ofLength(schema, value, maxLength + 1)])
    if (minLength !== undefined) made.push(['too short', ofLength(schema, value, minLength - 1)])
    if (schema.pattern !== undefined) made.push(['of another form', `${value}é`])
    const wrong = wrongFormats[schema.format ?? '']
    if (wrong) made.push([`not ${schema.format}`, wrong(value)])
  }
  if (typeof value === 'number') {
    if (maximum !== undefined) made.push(['too large', maximum + 1])
    if (minimum !== undefined) made.push(['too small', minimum - 1])
  }
  if (Array.isArray(value)) {
    if (maxItems !== undefined)
      made.push(['too many', ofCount(schema, value.length > 0 ? value : ['x'], maxItems + 1)])
    if (minItems !== undefined) made.push(['too few', ofCount(schema, value, minItems - 1)])
  }
  if (isObject(value)) made.push(...brokenMembers(schema, value))
  return made.map(([what, changed]) => ({ what, value: changed }))
}

function brokenMembers(schema: Schema, value: Json): [string, unknown][] {
  const made: [string, unknown][] = []
  for (const name of schema.required ?? []) {
    const { [name]: _gone, ...rest } = value
    made.push([`without ${name}`, rest])
  }
  if (schema.additionalProperties === false) made.push(['with an unknown member', { ...value, unknown: 'x' }])
  const { maxProperties, propertyNames: { minLength = 0, maxLength } = {} } = schema
  const [sample = 'x'] = Object.values(value)
  if (maxProperties !== undefined) {
    const others = Array.from({ length: maxProperties }, (_, index) => [`k${index}`, sample])
    made.push(['with too many members', { ...value, ...Object.fromEntries(others) }])
  }
  if (maxLength !== undefined)
    made.push(['with a long name', { ...value, ['k'.repeat(maxLength + 1)]: sample }])
  if (minLength > 0) made.push(['with an empty name', { ...value, ['k'.repeat(minLength - 1)]: sample }])
  return made
}

/** Adds members up to the limit, the first with the longest name. */
function withNames({ maxProperties, propertyNames }: Schema, value: Json): Json {
  if (maxProperties === undefined) return value
  const [sample = 'x'] = Object.values(value).map(one => (typeof one === 'string' ? one.slice(0, 1) : one))
  const count = maxProperties - Object.keys(value).length
  const longest = 'k'.repeat(propertyNames?.maxLength ?? 10)
  const names = Array.from({ length: count }, (_, index) => (index === 0 ? longest : `k${index}`))
  return { ...value, ...Object.fromEntries(names.map(name => [name, sample])) }
}

/** Repeats the first item. Items that must differ have another name or priority, or are other texts. */
function ofCount({ uniqueItems }: Schema, items: readonly unknown[], count: number): unknown[] {
  const [first] = items
  return Array.from({ length: count }, (_, index) => {
    if (index < items.length) return items[index]
    if (uniqueItems && typeof first === 'string') return `${index}${first.slice(`${index}`.length)}`
    return another(first, index)
  })
}

function another(item: unknown, index: number): unknown {
  if (!isObject(item)) return item
  const { name } = item
  const renamed =
    typeof name === 'string' ? { name: `${name.slice(0, -3)}${String(index).padStart(3, '-')}` } : {}
  return withPriority({ ...item, ...renamed }, index)
}

/** Gives each rule of a list a priority of its own. */
const withPriority = (item: unknown, index: number): unknown =>
  isObject(item) && typeof item.priority === 'number' ? { ...item, priority: index + 1 } : item

/** Makes a text longer or shorter in the middle, and keeps its form. */
function ofLength({ format, pattern = '' }: Schema, text: string, length: number): string {
  if (format === 'luhn') return withCheckDigit('4'.padEnd(length - 1, '0'))
  if (format === 'token-id-or-expression') return `{{ '${text}'${' '.repeat(length - text.length - 7)}}}`
  if (text.endsWith('/'))
    return `${text
      .slice(0, -1)
      .slice(0, length - 1)
      .padEnd(length - 1, 'a')}/`
  return text.slice(0, length).padEnd(length, pattern.startsWith('^data:') ? 'A' : 'x')
}

function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return digits + ((10 - (sum % 10)) % 10)
}

const otherDigit = (text: string) => text.slice(0, -1) + ((Number(text.at(-1)) + 1) % 10)
const wrongFormats: Readonly<Record<string, (text: string) => string>> = {
  luhn: otherDigit,
  'aba-routing-number': otherDigit,
  uuid: text => text.slice(1),
  uri: () => 'no uri',
  'date-time': () => '2026-02-30T00:00:00Z',
  expiration: () => '2099-02-30T00:00:00Z',
  'token-id': () => 'a%23b',
  'token-id-or-expression': () => 'a#b',
}
