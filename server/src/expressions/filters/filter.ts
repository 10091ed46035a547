import type { JsonValue } from '../../base/json/json.ts'
import { ExpressionError, positionAt } from '../expression-error.ts'
import type { Run } from '../run.ts'
import { Decimal, toJson } from '../value.ts'

/** A filter of the template language: `{{ input | name: argument, argument }}`. */
export interface Filter {
  /** The minimum and maximum number of arguments. */
  readonly takes: readonly [number, number]
  /** The names of arguments given as `name: value`. */
  readonly named?: readonly string[]
  /** True if the result counts as written with a decimal point where the input or an argument is. */
  readonly keepsDecimals?: boolean
  /** True if it charges its input and its result itself. */
  readonly charges?: boolean
  readonly apply: (
    input: JsonValue,
    args: readonly JsonValue[],
    run: Run,
    named: Readonly<Record<string, JsonValue>>,
    isDecimal: boolean,
  ) => JsonValue
}

/** Filters, by name. */
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

/** The place of a filter in a template, as liquidjs parsed it: arguments that are lists have a name. */
export interface Call {
  readonly name: string
  readonly input: string
  readonly begin: number
  readonly args: readonly unknown[]
}

/** Applies a filter for liquidjs: charges what goes in and out, and says where it failed. @throws {ExpressionError} */
export function runFilter(filter: Filter, call: Call, run: Run, input: unknown, given: unknown[]): unknown {
  try {
    const value = charged(toJson(input), filter, run)
    const args: JsonValue[] = []
    let named: Record<string, JsonValue> | undefined
    for (let index = 0; index < given.length; index++) {
      const argument = call.args[index]
      if (!Array.isArray(argument)) args.push(charged(toJson(given[index]), filter, run))
      else named = { ...named, [argument[0]]: toJson((given[index] as unknown[])[1]) }
    }
    const isDecimal = filter.keepsDecimals === true && [input, ...given].some(isWrittenAsDecimal)
    const result = charged(filter.apply(value, args, run, named ?? {}, isDecimal), filter, run)
    return isDecimal && typeof result === 'number' ? new Decimal(result) : result
  } catch (error) {
    const position = positionAt(call.input, call.begin)
    if (error instanceof Unsuitable)
      throw new ExpressionError('value', `${call.name} ${error.message}`, position)
    if (error instanceof ExpressionError) throw new ExpressionError(error.fault, error.problem, position)
    throw new ExpressionError('internal', 'cannot be evaluated', position, error)
  }
}

/** True for numbers with a fraction, and for text of a number with a decimal point. */
function isWrittenAsDecimal(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value)
  if (typeof value === 'string') return value.length <= 400 && /^\s*-?\d+\.\d+\s*$/.test(value)
  return value instanceof Decimal
}

/** Charges the size of a filter's input, argument or result. */
function charged(value: JsonValue, { charges }: Filter, { meter }: Run): JsonValue {
  if (charges) return value
  meter.step()
  if (typeof value === 'string') {
    meter.text(value.length)
    meter.characters(value.length)
  } else if (Array.isArray(value)) {
    meter.elements(value.length)
  }
  return value
}
