import type { JsonValue } from '../../base/json.ts'
import { ExpressionError } from '../expression-error.ts'
import type { Run } from '../run.ts'

/** A filter of the template language: `{{ input | name: argument, argument }}`. */
export interface Filter {
  /** How many arguments, at least and at most. */
  readonly takes: readonly [number, number]
  /** Arguments given as `name: value`. */
  readonly named?: readonly string[]
  /** An argument to add where the last one is a number written with a point: JSON does not tell 7.0 from 7. */
  readonly afterDecimal?: JsonValue
  readonly apply: (
    input: JsonValue,
    args: readonly JsonValue[],
    run: Run,
    named: Readonly<Record<string, JsonValue>>,
  ) => JsonValue
}

export type Filters = ReadonlyMap<string, Filter>

/** Filters of one family, by name. */
export type FilterFamily = Readonly<Record<string, Filter>>

/** A value that does not suit a filter: says what it takes, never what it got. */
export function unsuitable(filter: string, problem: string): ExpressionError {
  return new ExpressionError('value', `${filter} ${problem}`)
}

/** Text, or a number or boolean as JSON spells it: what a filter may cut up by characters. */
export function scalarText(filter: string, input: JsonValue): string {
  if (typeof input === 'string') return input
  if (typeof input === 'number' || typeof input === 'boolean') return String(input)
  throw unsuitable(filter, 'takes text, a number or a boolean, not a list or object')
}

/** A whole number from 0 on, given as a number or in digits. */
export function countArgument(filter: string, arg: JsonValue | undefined, fallback: number): number {
  if (arg === undefined) return fallback
  const count = typeof arg === 'string' && /^\d{1,15}$/.test(arg) ? Number(arg) : arg
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
  throw unsuitable(filter, 'takes whole numbers from 0 on for how many characters')
}

/** A boolean, given as such or as 'true' or 'false'. */
export function flagArgument(filter: string, arg: JsonValue | undefined): boolean {
  if (arg === undefined || arg === false || arg === 'false') return false
  if (arg === true || arg === 'true') return true
  throw unsuitable(filter, 'takes true or false for what to reveal')
}

/** Exactly one character. */
export function characterArgument(filter: string, arg: JsonValue | undefined, fallback: string): string {
  if (arg === undefined) return fallback
  if (typeof arg === 'string' && arg.length <= 2 && Array.from(arg).length === 1) return arg
  throw unsuitable(filter, 'takes one single character to fill in')
}
