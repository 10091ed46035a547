import type { JsonValue } from '../base/json.ts'

/** The literals `empty` and `blank`: they mean something in a comparison and are no text anywhere else. */
export const empty: unique symbol = Symbol('empty')
export const blank: unique symbol = Symbol('blank')

/** A value while a template runs. What is missing is null. */
export type Value = JsonValue | typeof empty | typeof blank

export function toJson(value: Value): JsonValue {
  return typeof value === 'symbol' ? '' : value
}

/** As in Liquid: all but false and null is true, 0 and '' too. */
export function isTruthy(value: Value): boolean {
  return value !== false && value !== null
}

/** A number as arithmetic and ranges take it: text that is no decimal number counts as 0. */
export function toNumber(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string' || value.length > longestNumber) return 0
  const number = Number(value)
  return Number.isFinite(number) && !/[xob]/i.test(value) ? number : 0
}
const longestNumber = 400

/** The elements that the list filters go through: one value is a list of itself. */
export function toList(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value
  return value === null ? [] : [value]
}
