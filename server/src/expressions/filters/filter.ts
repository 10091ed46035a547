import type { JsonValue } from '../../base/json.ts'
import { ExpressionError } from '../expression-error.ts'
import type { Run } from '../run.ts'

/** A filter of the template language: `{{ input | name: argument, argument }}`. */
export interface Filter {
  /** The minimum and maximum number of arguments. */
  readonly takes: readonly [number, number]
  /** The names of arguments given as `name: value`. */
  readonly named?: readonly string[]
  /** An argument added if the last one is a number with a decimal point: as values, 7.0 and 7 are the same. */
  readonly afterDecimal?: JsonValue
  readonly apply: (
    input: JsonValue,
    args: readonly JsonValue[],
    run: Run,
    named: Readonly<Record<string, JsonValue>>,
  ) => JsonValue
}

export type Filters = ReadonlyMap<string, Filter>

/** A group of filters, by name. */
export type FilterFamily = Readonly<Record<string, Filter>>

/** The error for a value that a filter does not accept. `problem` says what it accepts, and never quotes the value. */
export function unsuitable(filter: string, problem: string): ExpressionError {
  return new ExpressionError('value', `${filter} ${problem}`)
}

/** Returns text, or the JSON text of a number or boolean. */
export function scalarText(filter: string, input: JsonValue): string {
  if (typeof input === 'string') return input
  if (typeof input === 'number' || typeof input === 'boolean') return String(input)
  throw unsuitable(filter, 'takes text, a number or a boolean, not a list or object')
}

/** Returns a whole number of characters, 0 or more, given as a number or as digits. */
export function countArgument(filter: string, arg: JsonValue | undefined, fallback: number): number {
  if (arg === undefined) return fallback
  const count = typeof arg === 'string' && /^\d{1,15}$/.test(arg) ? Number(arg) : arg
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
  throw unsuitable(filter, 'takes a number of characters as a whole number, 0 or more')
}

/** Returns a boolean, given as a boolean or as 'true' or 'false'. */
export function flagArgument(filter: string, arg: JsonValue | undefined): boolean {
  if (arg === undefined || arg === false || arg === 'false') return false
  if (arg === true || arg === 'true') return true
  throw unsuitable(filter, 'takes true or false as its first and second argument')
}

/** Returns an argument that is exactly one character. */
export function characterArgument(filter: string, arg: JsonValue | undefined, fallback: string): string {
  if (arg === undefined) return fallback
  if (typeof arg === 'string' && arg.length <= 2 && Array.from(arg).length === 1) return arg
  throw unsuitable(filter, 'takes exactly one character to fill in')
}
