import { Decimal as Library } from 'decimal.js'

/** Exact for sums and products of what doubles spell. As in Ruby, a remainder has the sign of the divisor. */
const Decimal = Library.clone({ precision: 40, modulo: Library.ROUND_FLOOR })

type Operation = 'plus' | 'minus' | 'times' | 'div' | 'mod'

/**
 * Calculates with decimals, without the noise of binary fractions: equal values have equal texts, and so one fingerprint.
 * @example calculate('times', 0.0725, 100) // 7.25, not 7.249999999999999
 */
export function calculate(operation: Operation, left: number, right: number): number {
  return new Decimal(left)[operation](right).toNumber()
}

/** Returns the largest whole number that is not above the quotient. */
export function floorOfQuotient(left: number, right: number): number {
  return new Decimal(left).div(right).floor().toNumber()
}

/** Rounds to a number of decimal places, half away from zero. */
export function roundTo(number: number, places: number): number {
  return new Decimal(number).toDecimalPlaces(places, Library.ROUND_HALF_UP).toNumber()
}
