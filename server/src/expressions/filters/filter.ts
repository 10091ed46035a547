import type { JsonValue } from '../../base/json/json.ts'
import type { Run } from '../run.ts'

/** A filter of the template language: `{{ input | name: argument, argument }}`. */
export interface Filter {
  /** The minimum and maximum number of arguments. */
  readonly takes: readonly [number, number]
  /** The names of arguments given as `name: value`. */
  readonly named?: readonly string[]
  /** True if the result counts as written with a decimal point where the input or an argument is. */
  readonly keepsDecimals?: boolean
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

/** Thrown for a value that a filter does not accept. The message follows the filter's name in the error. */
export class Unsuitable extends Error {}

/** @param problem says what the filter accepts, and never quotes the value */
export function unsuitable(problem: string): Unsuitable {
  return new Unsuitable(problem)
}

/** A filter of text, numbers and booleans. Null stays null, so that a member of a mask is left out. */
export function ofScalar(
  takes: Filter['takes'],
  apply: (text: string, args: readonly JsonValue[], run: Run) => JsonValue,
): Filter {
  return {
    takes,
    apply: (input, args, run) => {
      if (input === null) return null
      if (typeof input === 'object') {
        throw unsuitable('takes text, a number or a boolean, not a list or object')
      }
      return apply(String(input), args, run)
    },
  }
}

/** Returns a whole number of characters, 0 or more, given as a number or as digits. */
export function countArgument(arg: JsonValue | undefined, fallback = 0): number {
  if (arg === undefined) return fallback
  const count = typeof arg === 'string' && /^\d{1,15}$/.test(arg) ? Number(arg) : arg
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
  throw unsuitable('takes a number of characters as a whole number, 0 or more')
}

/** Returns a boolean, given as a boolean or as 'true' or 'false'. */
export function flagArgument(arg: JsonValue | undefined): boolean {
  if (arg === undefined || arg === false || arg === 'false') return false
  if (arg === true || arg === 'true') return true
  throw unsuitable('takes true or false as its first and second argument')
}

/** Returns an argument that is exactly one character. */
export function characterArgument(arg: JsonValue | undefined, fallback: string): string {
  if (arg === undefined) return fallback
  if (typeof arg === 'string' && arg.length <= 2 && Array.from(arg).length === 1) return arg
  throw unsuitable('takes exactly one character to fill in')
}
