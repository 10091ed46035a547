import { endOfString } from './json-bounds.ts'
import { memberPath } from './member-path.ts'

/** Thrown for JSON that cannot be stored unchanged. `path` is dotted, `offset` counts UTF-16 units from 0. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly path: string
  readonly offset: number

  constructor(message: string, path: string, offset: number) {
    super(message)
    this.path = path
    this.offset = offset
  }
}

/** A list or object that contains the current position. */
interface Level {
  /** The current index or name. */
  step: number | string
  /** The names so far, of an object. */
  readonly names?: Set<string>
}

/** Characters that are scanned before other requests get a turn. */
const pieceOfScan = 16 * 1024

/**
 * Finds JSON that `JSON.parse` accepts but alters, in text that `JSON.parse` has accepted: the grammar is not checked
 * again. Yields from time to time, so that other requests can have their turn.
 * @throws {JsonError}
 */
export function* scanForLoss(text: string): Generator<void, void> {
  const hasSurrogates = /\\u[dD]|[\uD800-\uDFFF]/.test(text)
  const levels: Level[] = []
  let level: Level | undefined
  let isNameNext = false
  let pauseAt = pieceOfScan
  let at = 0
  const refuse = (fault: string | undefined) => {
    if (fault !== undefined) throw new JsonError(fault, memberPath(levels.map(({ step }) => step)), at)
  }
  for (let end = 0; at < text.length; at = end) {
    end = at + 1
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        isNameNext = text[at] === '{'
        level = isNameNext ? { step: '', names: new Set() } : { step: 0 }
        levels.push(level)
        break
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop()
        level = levels.at(-1)
        isNameNext = false
        break
      case 0x2c: // a comma
        if (typeof level?.step === 'number') level.step++
        else isNameNext = true
        break
      case 0x22: {
        end = endOfString(text, at) + 1
        const quoted = text.slice(at, end)
        if (isNameNext && level?.names) {
          isNameNext = false
          const name = stringOf(quoted)
          level.step = name
          if (name === '__proto__') refuse('is not allowed as a member name')
          if (level.names.has(name)) refuse('is there twice')
          level.names.add(name)
        }
        if (hasSurrogates && !stringOf(quoted).isWellFormed())
          refuse('contains a lone surrogate, which is not text')
        break
      }
      default:
        if (!startsNumber(text.charCodeAt(at))) break
        while (continuesNumber(text.charCodeAt(end))) end++
        refuse(findNumberFault(text.slice(at, end)))
    }
    if (end < pauseAt) continue
    pauseAt = end + pieceOfScan
    yield
  }
}

function stringOf(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
}

function startsNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d
}

function continuesNumber(code: number): boolean {
  return startsNumber(code) || code === 0x2e || code === 0x2b || code === 0x65 || code === 0x45
}

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
