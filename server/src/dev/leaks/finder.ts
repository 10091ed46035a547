import { type Spelling, spellingsOf } from './spellings.ts'

/** A value of a token in a text. */
export interface Leak {
  /** In UTF-16 units from 0. */
  readonly offset: number
  readonly length: number
  readonly token: string
  readonly spelling: Spelling
}

interface Needle {
  readonly text: string
  readonly token: string
  readonly spelling: Spelling
}

/** The least length of a value that is searched for. Shorter ones, and one repeated character, occur by chance. */
export const shortest = 6
/** Of longer values the beginning is searched for. */
const longest = 200
const filterBits = 24
const factor = 0x01000193
/** The factor of the unit that leaves the window. */
const leaving = Array.from({ length: shortest }).reduce<number>(power => Math.imul(power, factor), 1)

const isDigit = (unit: number) => unit >= 48 && unit <= 57
const isSeparator = (unit: number) => unit === 32 || unit === 45

/**
 * Finds many values in a text, in time proportional to its length (Rabin–Karp): a rolling hash of the next six characters
 * is looked up in a filter, and only where it may begin a value, values are compared. Digits are looked up once more
 * without single spaces and dashes between them.
 */
export class LeakFinder {
  readonly #filter = new Uint8Array(1 << (filterBits - 3))
  readonly #needles = new Map<string, Needle[]>()
  /** The number of values that are not searched for. */
  skipped = 0
  values = 0

  add(token: string, value: string): void {
    if (new Set(value).size < 2 || value.length < shortest) {
      this.skipped++
      return
    }
    this.values++
    for (const { text, spelling } of spellingsOf(value.slice(0, longest))) {
      if (text.length < shortest) continue
      const start = text.slice(0, shortest)
      let hash = 0
      for (let at = 0; at < shortest; at++) hash = (Math.imul(hash, factor) + start.charCodeAt(at)) | 0
      this.#mark(hash)
      const known = this.#needles.get(start)
      if (known) known.push({ text, token, spelling })
      else this.#needles.set(start, [{ text, token, spelling }])
    }
  }

  find(text: string, most: number): Leak[] {
    const found: Leak[] = []
    let hash = 0
    // The last digits, and where they are.
    let digits = 0
    let digitHash = 0
    let isSpaced = false
    const places = new Int32Array(shortest)
    const units = new Int32Array(shortest)
    for (let at = 0; at < text.length && found.length < most; at++) {
      const unit = text.charCodeAt(at)
      const left = at >= shortest ? text.charCodeAt(at - shortest) : 0
      hash = (Math.imul(hash, factor) + unit - Math.imul(left, leaving)) | 0
      if (at >= shortest - 1 && this.#isMarked(hash)) this.#compare(text, at - shortest + 1, found)

      if (isDigit(unit)) {
        const place = digits % shortest
        const gone = digits >= shortest ? (units[place] ?? 0) : 0
        digitHash = (Math.imul(digitHash, factor) + unit - Math.imul(gone, leaving)) | 0
        units[place] = unit
        places[place] = at
        digits++
        if (digits >= shortest && this.#isMarked(digitHash)) {
          this.#compareDigits(text, places[digits % shortest] ?? 0, found)
        }
        isSpaced = false
      } else if (isSeparator(unit) && !isSpaced && digits > 0) isSpaced = true
      else {
        digits = 0
        digitHash = 0
        isSpaced = false
      }
    }
    return found
  }

  #compare(text: string, from: number, found: Leak[]): void {
    for (const { text: needle, token, spelling } of this.#needles.get(text.slice(from, from + shortest)) ??
      []) {
      if (text.startsWith(needle, from)) found.push({ offset: from, length: needle.length, token, spelling })
    }
  }

  /** Compares from here on without single spaces and dashes; what has none was found before. */
  #compareDigits(text: string, from: number, found: Leak[]): void {
    let digits = ''
    let spaced = 0
    const ends: number[] = []
    for (let at = from; at < text.length && digits.length < longest; at++) {
      const unit = text.charCodeAt(at)
      if (isDigit(unit)) {
        digits += text[at]
        ends.push(at + 1)
      } else if (isSeparator(unit) && isDigit(text.charCodeAt(at + 1))) spaced++
      else break
    }
    if (spaced === 0) return
    for (const { text: needle, token } of this.#needles.get(digits.slice(0, shortest)) ?? []) {
      const end = ends[needle.length - 1] ?? 0
      if (!digits.startsWith(needle) || end - from === needle.length) continue
      found.push({ offset: from, length: end - from, token, spelling: 'separated' })
    }
  }

  #mark(hash: number): void {
    const bit = this.#bitOf(hash)
    this.#filter[bit >>> 3] = (this.#filter[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }

  #isMarked(hash: number): boolean {
    const bit = this.#bitOf(hash)
    return ((this.#filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
  }

  #bitOf(hash: number): number {
    return (Math.imul(hash, 0x9e3779b1) >>> 0) >>> (32 - filterBits)
  }
}
