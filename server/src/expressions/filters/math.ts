import type { JsonValue } from '../../base/json.ts'
import { isTruthy, toNumber } from '../value.ts'
import { type Filter, type FilterFamily, unsuitable } from './filter.ts'

/** A filter from numbers to a number. Infinity and NaN are no JSON, so there is no such result. */
function arithmetic(
  name: string,
  takes: Filter['takes'],
  calculate: (...numbers: number[]) => number,
): Filter {
  return {
    takes,
    apply: (input: JsonValue, args) => finite(name, calculate(toNumber(input), ...args.map(toNumber))),
  }
}

function finite(name: string, result: number): number {
  if (!Number.isFinite(result)) throw unsuitable(name, 'has no finite number as its result')
  return result === 0 ? 0 : result
}

/**
 * Rounds down where both numbers are whole, unless the divisor is written as a decimal: `7.0`. As in liquidjs, a
 * second argument asks for whole numbers or for none: `divided_by: 7, false`.
 */
const dividedBy: Filter = {
  takes: [1, 2],
  afterDecimal: false,
  apply: (input, [divisor = null, asked]) => {
    const [left, right] = [toNumber(input), toNumber(divisor)]
    const isWhole = asked === undefined ? Number.isInteger(left) && Number.isInteger(right) : isTruthy(asked)
    return finite('divided_by', isWhole ? Math.floor(left / right) : left / right)
  },
}

/** Rounds half away from zero; shifted in decimal, so that 1.005 to two places is 1.01. */
function round(number: number, places = 0): number {
  const scaled = shift(Math.abs(number), places)
  // A number this large has no fraction, and one more digit would change it.
  if (!(scaled <= Number.MAX_SAFE_INTEGER)) return number
  return Math.sign(number) * shift(Math.round(scaled), -places)
}

function shift(number: number, places: number): number {
  const [mantissa = '0', exponent = '0'] = String(number).split('e')
  return Number(`${mantissa}e${Number(exponent) + Math.trunc(places)}`)
}

/** The arithmetic of Liquid. */
export const mathFilters: FilterFamily = {
  abs: arithmetic('abs', [0, 0], Math.abs),
  ceil: arithmetic('ceil', [0, 0], Math.ceil),
  floor: arithmetic('floor', [0, 0], Math.floor),
  round: arithmetic('round', [0, 1], round),
  plus: arithmetic('plus', [1, 1], (left, right = 0) => left + right),
  minus: arithmetic('minus', [1, 1], (left, right = 0) => left - right),
  times: arithmetic('times', [1, 1], (left, right = 0) => left * right),
  divided_by: dividedBy,
  // The sign is that of the divisor.
  modulo: arithmetic('modulo', [1, 1], (left, right = 0) => ((left % right) + right) % right),
  at_least: arithmetic('at_least', [1, 1], Math.max),
  at_most: arithmetic('at_most', [1, 1], Math.min),
}
