/** A decimal without its sign and without leading and trailing zeros. */
interface Decimal {
  readonly digits: string
  /** The power of ten of the last digit. */
  readonly exponent: number
}

const zero = 0x30
const dot = 0x2e
const minus = 0x2d

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

function mantissaOf(token: string): string {
  const mark = token.search(/[eE]/)
  return mark < 0 ? token : token.slice(0, mark)
}

function toDecimal(token: string): Decimal {
  const mantissa = mantissaOf(token)
  const given = Number(token.slice(mantissa.length + 1))
  const point = mantissa.indexOf('.')
  const digits = mantissa.replace('.', '').replace('-', '')
  const exponent = given - (point < 0 ? 0 : mantissa.length - 1 - point)
  let start = 0
  while (digits.charCodeAt(start) === zero) start++
  let end = digits.length
  while (end > start && digits.charCodeAt(end - 1) === zero) end--
  return { digits: digits.slice(start, end), exponent: exponent + digits.length - end }
}

/** Decimals of up to this many characters are never altered. */
const surelyKept = 15

/** Returns the end of the number at `start` if it is surely not altered, as most are; otherwise -1. */
export function passPlainNumber(text: string, start: number): number {
  let at = start
  let code = text.charCodeAt(at)
  if (code === minus) {
    code = text.charCodeAt(++at)
    if (code === zero) return -1
  }
  while ((code >= zero && code <= 0x39) || code === dot) code = text.charCodeAt(++at)
  const isPlain = at > start && at - start <= surelyKept && code !== 0x65 && code !== 0x45
  return isPlain ? at : -1
}

/** Returns the number at `start`: all following characters that numbers can have. */
export function numberAt(text: string, start: number): string {
  let at = start
  while (isOfNumber(text.charCodeAt(at))) at++
  return text.slice(start, at)
}

function isOfNumber(code: number): boolean {
  if (code < 0x3a) return code >= zero || code === dot || code === minus || code === 0x2b
  return code === 0x65 || code === 0x45
}
