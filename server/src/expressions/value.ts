import type { JsonValue } from '../base/json/json.ts'

/** The literals `empty` and `blank`. They have a meaning only in comparisons; elsewhere they are ''. */
export const empty: unique symbol = Symbol('empty')
export const blank: unique symbol = Symbol('blank')

/** A value while a template runs. Missing values are null. */
export type Value = JsonValue | typeof empty | typeof blank

export function toJson(value: Value): JsonValue {
  return typeof value === 'symbol' ? '' : value
}

/** As in Liquid, only false and null are falsy; 0 and '' are truthy. */
export function isTruthy(value: Value): boolean {
  return value !== false && value !== null
}

/**
 * Returns a number for arithmetic and ranges. Text that is not a decimal number counts as the whole number that it begins
 * with, as in Ruby's Liquid: `12abc` as 12, `abc` as 0.
 */
export function toNumber(value: Value): number {
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
