import { filters } from '../liquid/liquidjs.ts'
import { isTruthy, toNumber } from '../value.ts'
import { calculate, floorOfQuotient, roundTo } from './decimal.ts'
import { type Filter, type FilterFamily, unsuitable } from './filter.ts'

/** A filter from numbers to a number. Infinity and NaN are errors, since JSON has neither. */
function arithmetic(
  takes: Filter['takes'],
  calculate: (...numbers: number[]) => number,
  keepsDecimals = true,
): Filter {
  return {
    takes,
    keepsDecimals,
    apply: (input, args) => finite(calculate(toNumber(input), ...args.map(toNumber))),
  }
}

function finite(result: number): number {
  if (!Number.isFinite(result)) throw unsuitable('does not result in a finite number')
  return result === 0 ? 0 : result
}

/**
 * Rounds down if both numbers are whole and neither is written with a decimal point (`7.0`, `"7.0"`), nor the result of one.
 * As in liquidjs, a second argument turns rounding on or off: `divided_by: 7, false`.
 */
const dividedBy: Filter = {
  takes: [1, 2],
  keepsDecimals: true,
  apply: (input, [divisor = null, asked], _run, _named, isDecimal) => {
    const [left, right] = [toNumber(input), toNumber(divisor)]
    const isFloored = asked === undefined ? !isDecimal : isTruthy(asked)
    return finite(isFloored ? floorOfQuotient(left, right) : calculate('div', left, right))
  },
}

/** Doubles have no more. */
const mostPlaces = 400
const roundLoosely = filters.round as (number: number, places: number) => number

/** The arithmetic of Liquid. */
export const mathFilters: FilterFamily = {
  abs: arithmetic([0, 0], Math.abs),
  ceil: arithmetic([0, 0], Math.ceil, false),
  floor: arithmetic([0, 0], Math.floor, false),
  round: arithmetic(
    [0, 1],
    (number, places = 0) =>
      places >= 0 && places <= mostPlaces
        ? roundTo(number, Math.trunc(places))
        : roundLoosely(number, places),
    false,
  ),
  plus: arithmetic([1, 1], (left, right = 0) => calculate('plus', left, right)),
  minus: arithmetic([1, 1], (left, right = 0) => calculate('minus', left, right)),
  times: arithmetic([1, 1], (left, right = 0) => calculate('times', left, right)),
  divided_by: dividedBy,
  modulo: arithmetic([1, 1], (left, right = 0) => calculate('mod', left, right)),
  at_least: arithmetic([1, 1], Math.max),
  at_most: arithmetic([1, 1], Math.min),
}
