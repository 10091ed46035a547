import { standard } from '../compile/liquidjs.ts'
import { isTruthy, toNumber } from '../value.ts'
import { type Filter, type FilterFamily, unsuitable } from './filter.ts'

/** A filter from numbers to a number. Infinity and NaN are errors, since JSON has neither. */
function arithmetic(takes: Filter['takes'], calculate: (...numbers: number[]) => number): Filter {
  return { takes, apply: (input, args) => finite(calculate(toNumber(input), ...args.map(toNumber))) }
}

function finite(result: number): number {
  if (!Number.isFinite(result)) throw unsuitable('does not result in a finite number')
  return result === 0 ? 0 : result
}

/**
 * Rounds down if both numbers are whole and the divisor has no decimal point (`7.0`). As in liquidjs, a second
 * argument turns rounding on or off: `divided_by: 7, false`.
 */
const dividedBy: Filter = {
  takes: [1, 2],
  afterDecimal: false,
  apply: (input, [divisor = null, asked]) => {
    const [left, right] = [toNumber(input), toNumber(divisor)]
    const isWhole = asked === undefined ? Number.isInteger(left) && Number.isInteger(right) : isTruthy(asked)
    return finite(isWhole ? Math.floor(left / right) : left / right)
  },
}

/** The arithmetic of Liquid. */
export const mathFilters: FilterFamily = {
  abs: arithmetic([0, 0], Math.abs),
  ceil: arithmetic([0, 0], Math.ceil),
  floor: arithmetic([0, 0], Math.floor),
  round: arithmetic([0, 1], standard('round')),
  plus: arithmetic([1, 1], (left, right = 0) => left + right),
  minus: arithmetic([1, 1], (left, right = 0) => left - right),
  times: arithmetic([1, 1], (left, right = 0) => left * right),
  divided_by: dividedBy,
  // The result has the sign of the divisor.
  modulo: arithmetic([1, 1], (left, right = 0) => ((left % right) + right) % right),
  at_least: arithmetic([1, 1], Math.max),
  at_most: arithmetic([1, 1], Math.min),
}
