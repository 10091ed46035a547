import { constants, gunzipSync } from 'node:zlib'
import { gap, type Layer, Pieces } from './layer.ts'

/** The bytes that remain to be unpacked, so that a small text cannot become a large one. */
export interface Budget {
  bytes: number
}

/** Digits of base64, among which are the hexadecimal ones. Fewer than 8 cannot contain a value. */
const digits = /[\w+/-]{8,}/g
const hexDigits = /(?:[\da-f]{2}){6,}/gi

/** The least number of bytes of a text that is searched. */
const shortest = 6

/** Returns the texts within base64 and hexadecimal digits. */
export function decodeRuns(text: string, budget: Budget): Layer[] {
  const base64 = new Decoded('base64', 4 / 3, budget)
  const hex = new Decoded('hex', 2, budget)
  for (const { index: from, 0: run } of text.matchAll(digits)) {
    if (run.length >= 24 || mayBeText(text, from)) base64.add(run, from)
    // What was cut off at the beginning of a text may have begun within a unit.
    if (from === 0) for (const start of [1, 2, 3]) base64.add(run.slice(start), start)
    if (run.length < 12) continue
    for (const { index, 0: bytes } of run.matchAll(hexDigits)) hex.add(bytes, from + index)
    if (from === 0) hex.add(run.slice(1), 1)
  }
  return [base64, hex].flatMap(decoded => decoded.toLayer() ?? [])
}

/** The texts in one encoding. */
class Decoded {
  readonly #encoding: 'base64' | 'hex'
  /** The digits of a byte. */
  readonly #width: number
  readonly #budget: Budget
  readonly #pieces = new Pieces()
  readonly #packed = new Set<number>()

  constructor(encoding: 'base64' | 'hex', width: number, budget: Budget) {
    this.#encoding = encoding
    this.#width = width
    this.#budget = budget
  }

  add(run: string, at: number): void {
    const bytes = Buffer.from(run, this.#encoding)
    if (addUnpacked(this.#pieces, bytes, at, this.#budget)) this.#packed.add(at)
    else addTexts(this.#pieces, bytes, at, this.#width)
  }

  toLayer(): Layer | undefined {
    if (this.#pieces.isEmpty) return undefined
    return this.#pieces.toLayer(from => (this.#packed.has(from) ? 'gzip' : this.#encoding))
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Int8Array(128).fill(-1)
for (const [value, digit] of [...alphabet].entries()) values[digit.charCodeAt(0)] = value
values['-'.charCodeAt(0)] = 62
values['_'.charCodeAt(0)] = 63

const sixBits = (unit: number) => (unit < 128 ? (values[unit] ?? -1) : -1)

/** False for most words, which are not worth decoding: the first bytes of a text are of characters. */
function mayBeText(text: string, at: number): boolean {
  let bits = 0
  for (let digit = 0; digit < 4; digit++) bits = (bits << 6) | sixBits(text.charCodeAt(at + digit))
  const [first, second, third] = [bits >> 16, (bits >> 8) & 255, bits & 255]
  if (first >= 128) return first >= 0xc2 && first < 0xf5 && second >> 6 === 2
  return isPlain(first) && (second >= 128 || isPlain(second)) && (third >= 128 || isPlain(third))
}

const isPlain = (byte: number) => byte >= 32 || byte === 9 || byte === 10 || byte === 13

/** Adds what is in gzip. Returns false for other bytes. */
function addUnpacked(pieces: Pieces, bytes: Buffer, at: number, budget: Budget): boolean {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || budget.bytes <= 0) return false
  try {
    const unpacked = gunzipSync(bytes, {
      // What is cut off is unpacked as far as it is there.
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: budget.bytes,
    })
    budget.bytes -= unpacked.length
    addTexts(pieces, unpacked, at, 0)
    return true
  } catch (error) {
    // What is too large was unpacked as far as allowed.
    if (isCode(error, 'ERR_BUFFER_TOO_LARGE')) budget.bytes = 0
    return false
  }
}

const isCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code

/** Adds the parts of bytes that are text. */
function addTexts(pieces: Pieces, bytes: Buffer, at: number, width: number): void {
  let from = 0
  let zeros = 0
  for (let end = 0; end <= bytes.length; ) {
    const length = end < bytes.length ? charLength(bytes, end) : 0
    if (length > 0) {
      end += length
      continue
    }
    if (bytes[end] === 0) zeros++
    if (end - from >= shortest) {
      pieces.add(bytes.toString('utf8', from, end), at + from * width, width)
      pieces.add(gap, at + end * width, 0)
    }
    end++
    from = end
  }
  // In UTF-16 every Latin letter has one.
  if (zeros * 16 < bytes.length) return
  const even = bytes.subarray(0, bytes.length & ~1)
  for (const text of [even.toString('utf16le'), Buffer.from(even).swap16().toString('utf16le')]) {
    pieces.add(text, at, 2 * width)
    pieces.add(gap, at + bytes.length * width, 0)
  }
}

/** Returns the bytes of the character there in UTF-8; 0 if there is none, or a control character. */
function charLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return isPlain(first) ? 1 : 0
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  for (let next = 1; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}
