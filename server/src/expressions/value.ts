import type { LiteralToken } from 'liquidjs'
import type { JsonValue } from '../base/json/json.ts'
import { Drop, Tokenizer } from './liquid/liquidjs.ts'

/** A number written with a decimal point, or calculated from one: as JSON values, 7.0 and 7 are the same. */
export class Decimal extends Drop {
  readonly #number: number

  constructor(number: number) {
    super()
    this.#number = number
  }

  override valueOf(): number {
    return this.#number
  }
}

/** The literals `empty` and `blank`. They have a meaning only in comparisons; elsewhere they are ''. */
export const [empty, blank] = ['empty', 'blank'].map(
  name => (new Tokenizer(name).readValue() as LiteralToken).content as unknown,
)

/** Returns the JSON of a value while a template runs: liquidjs has objects of its own for literals and loops. */
export function toJson(value: unknown): JsonValue {
  return value instanceof Drop ? toJson(value.valueOf()) : ((value ?? null) as JsonValue)
}

/** As in Liquid, only false and null are falsy; 0 and '' are truthy. */
export function isTruthy(value: JsonValue): boolean {
  return value !== false && value !== null
}

/**
 * Returns a number for arithmetic and ranges. Text that is not a decimal number counts as the whole number that it begins
 * with, as in Ruby's Liquid: `12abc` as 12, `abc` as 0.
 */
export function toNumber(value: JsonValue): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string' || value.length > longestNumber) return 0
  const number = Number(value)
  if (Number.isFinite(number) && !/[xob]/i.test(value)) return number
  const whole = Number.parseInt(value, 10)
  return Number.isFinite(whole) ? whole : 0
}
const longestNumber = 400

/** Returns the elements for a list filter: a single value becomes a list of one, null an empty list. */
export function toList(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value
  return value === null ? [] : [value]
}
