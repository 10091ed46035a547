import { limits } from '../../generated/facts.ts'
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

/** Limits of JSON: nesting of lists and objects, and the total number of members and elements. */
interface JsonBounds {
  readonly depth: number
  readonly count: number
}

// Requirements: WIR-506, WIR-522
const jsonBounds: JsonBounds = { depth: limits.jsonDepth, count: limits.jsonMembers }

/** Where a text exceeds its limits, in UTF-16 units from 0, and how. */
interface JsonExcess {
  readonly offset: number
  readonly message: string
}

const space = 0x20
const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
/** `[` and `{`, and `]` and `}`, differ in this bit alone. */
const braceBit = 0x20
const open = 0x7b
const close = 0x7d

/**
 * Finds where a text exceeds its limits. To be called before `JSON.parse`, which takes seconds for a megabyte of `[`,
 * and long for some hundred thousand names. The text need not be JSON.
 */
export function findExcess(text: string, { depth, count }: JsonBounds = jsonBounds): JsonExcess | undefined {
  if (isSmall(text, { depth, count })) return undefined
  let level = 0
  let found = 0
  let isOpened = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= space) continue
    const brace = code | braceBit
    // The first member of a list or object follows its bracket, each further one a comma.
    if (code === comma || (isOpened && brace !== close)) found++
    if (found > count) return { offset: at, message: `has more than ${count} members and elements` }
    isOpened = brace === open
    if (isOpened && ++level > depth) return { offset: at, message: `is nested deeper than ${depth} levels` }
    if (brace === close) level--
    if (code === quote) at = endOfString(text, at)
  }
  return undefined
}

/** True for most texts, and much faster than a scan of each character. */
function isSmall(text: string, { depth, count }: JsonBounds): boolean {
  const opened = countUpTo(depth, text, '[{')
  return opened <= depth && opened + countUpTo(count, text, ',') <= count
}

/** Counts the signs in a text, and stops at `limit + 1`. */
function countUpTo(limit: number, text: string, signs: string): number {
  let count = 0
  for (const sign of signs) {
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
      if (++count > limit) return count
    }
  }
  return count
}

/** Returns the offset of the quote that closes the string opened at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  if (end < 0) return text.length
  if (text.charCodeAt(end - 1) !== backslash) return end
  // Where one quote is escaped there are often many, and each call of indexOf costs as much as 20 steps.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  return text.length
}
