import { Decimal as Library } from 'decimal.js'
import { filters } from '../liquid/liquidjs.ts'
import { isTruthy, toNumber } from '../value.ts'
import { type Filter, type FilterFamily, unsuitable } from './filter.ts'

/**
 * Decimals, without the noise of binary fractions: equal values have equal texts, and so one fingerprint. Exact for sums and
 * products of what doubles spell: 0.0725 × 100 is 7.25. As in Ruby, a remainder has the sign of the divisor.
 */
const Exact = Library.clone({ precision: 40, modulo: Library.ROUND_FLOOR })

export function add(left: number, right: number): number {
  return new Exact(left).plus(right).toNumber()
}

/** A filter from numbers to a number. Infinity and NaN are errors, since JSON has neither. */
function arithmetic(
  takes: Filter['takes'],
  calculate: (left: number, right?: number) => number,
  keepsDecimals = true,
): Filter {
  return {
    takes,
    keepsDecimals,
    apply: (input, args) => finite(calculate(toNumber(input), ...args.map(toNumber))),
  }
}

const exactly = (operation: 'plus' | 'minus' | 'times' | 'mod') =>
  arithmetic([1, 1], (left, right = 0) => new Exact(left)[operation](right).toNumber())

function finite(result: number): number {
  if (!Number.isFinite(result)) throw unsuitable('does not result in a finite number')
  return result === 0 ? 0 : result
}

/** Rounds half away from zero. Doubles have no more than 400 decimal places. */
function round(number: number, places = 0): number {
  if (places < 0 || places > 400) return (filters.round as typeof round)(number, places)
  return new Exact(number).toDecimalPlaces(Math.trunc(places), Library.ROUND_HALF_UP).toNumber()
}

/** The arithmetic of Liquid. */
export const mathFilters: FilterFamily = {
  abs: arithmetic([0, 0], Math.abs),
  ceil: arithmetic([0, 0], Math.ceil, false),
  floor: arithmetic([0, 0], Math.floor, false),
  round: arithmetic([0, 1], round, false),
  plus: exactly('plus'),
  minus: exactly('minus'),
  times: exactly('times'),
  modulo: exactly('mod'),
  at_least: arithmetic([1, 1], (left, right = 0) => Math.max(left, right)),
  at_most: arithmetic([1, 1], (left, right = 0) => Math.min(left, right)),

  /**
   * Rounds down if both numbers are whole and neither is written with a decimal point (`7.0`, `"7.0"`), nor the result of
   * one. As in liquidjs, a second argument turns rounding on or off: `divided_by: 7, false`.
   */
  divided_by: {
    takes: [1, 2],
    keepsDecimals: true,
    apply: (input, [divisor = null, asked], _run, _named, isDecimal) => {
      const quotient = new Exact(toNumber(input)).div(toNumber(divisor))
      const isFloored = asked === undefined ? !isDecimal : isTruthy(asked)
      return finite((isFloored ? quotient.floor() : quotient).toNumber())
    },
  },
}
