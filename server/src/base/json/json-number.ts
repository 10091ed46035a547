/** A decimal without its sign and without leading and trailing zeros. */
interface Decimal {
  readonly digits: string
  /** The power of ten of the last digit. */
  readonly exponent: number
}

const zero = 0x30

/**
 * Returns why a number would be altered by `JSON.parse`, which makes a double of it. Returns `undefined` if the value
 * stays the same, even if it is written in another way afterwards: `1.50`, `1e2`.
 *
 * @param token a JSON number of any length
 */
// Requirements: WIR-505, WIR-520
export function findNumberFault(token: string): string | undefined {
  const value = Number(token)
  if (!Number.isFinite(value)) return 'is a number too large to be kept; send it as a string'
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return 'is an integer beyond ±(2^53 − 1); send it as a string'
  }
  const spelled = String(value)
  if (spelled === token) return undefined
  const sent = toDecimal(token)
  if (value === 0) {
    if (sent.digits !== '') return 'is a number too small to be kept; send it as a string'
    return Object.is(value, -0) ? 'is negative zero, which JSON readers do not keep' : undefined
  }
  const kept = toDecimal(spelled)
  if (sent.digits === kept.digits && sent.exponent === kept.exponent) return undefined
  return 'is a number with more digits than can be kept; send it as a string'
}

function toDecimal(token: string): Decimal {
  const [mantissa = '', exponentGiven = '0'] = token.split(/[eE]/)
  const given = Number(exponentGiven)
  const point = mantissa.indexOf('.')
  const digits = mantissa.replace('.', '').replace('-', '')
  const exponent = given - (point < 0 ? 0 : mantissa.length - 1 - point)
  let start = 0
  while (digits.charCodeAt(start) === zero) start++
  let end = digits.length
  while (end > start && digits.charCodeAt(end - 1) === zero) end--
  return { digits: digits.slice(start, end), exponent: exponent + digits.length - end }
}
