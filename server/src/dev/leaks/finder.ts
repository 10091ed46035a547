import { decodeEscapes, longestSpelling, spellingsOf } from './escapes.ts'
import type { Spelling } from './layer.ts'
import { type Budget, decodeRuns } from './runs.ts'

/** A value of a token in a text. */
interface Leak {
  /** In UTF-16 units from 0. */
  readonly offset: number
  readonly length: number
  /** Absent for a value that no token has had. */
  readonly token: string | undefined
  readonly spelling: Spelling
}

interface Needle {
  readonly token: string | undefined
  readonly spelling: Spelling
}

/** Values with the same beginning, by their length and text: many may have it, but there are few lengths. */
type Needles = Map<number, Map<string, Needle[]>>

/** The least length of a value that is searched for. Shorter ones, and one repeated character, occur by chance. */
const shortest = 6
/** Of longer values the beginning is searched for. */
const longest = 200
/** Every third place of a text is looked at: four characters from there lie within the first six of any value there. */
const step = 3
const gram = shortest - step + 1
const filterBits = 22
const digitStarts = 10 ** shortest
/** How often what a text says is decoded. */
const mostDecoded = 2
/** The bytes that are unpacked from compressed parts of a text. */
const mostUnpacked = 8 * 1024 * 1024

const isDigit = (unit: number) => unit >= 48 && unit <= 57
const isSeparator = (unit: number) => unit === 32 || unit === 45 || unit === 46 || unit === 160

/**
 * Finds many values in a text, in time proportional to its length: the hash of four characters at every third place is
 * looked up in a filter, and only where it occurs near the beginning of a value, values are compared. Digits with single
 * spaces, dashes and dots between them are looked up once more without these.
 */
export class LeakFinder {
  readonly #filter = new Uint8Array(1 << (filterBits - 3))
  /** The first six digits of values that begin with digits, a bit for each number. */
  readonly #digitStarts = new Uint8Array(digitStarts / 8)
  readonly #needles = new Map<string, Needles>()
  /** The number of values that are not searched for. */
  skipped = 0
  values = 0

  add(token: string | undefined, value: string): void {
    if (new Set(value).size < 2 || value.length < shortest) {
      this.skipped++
      return
    }
    this.values++
    for (const { text, spelling } of spellingsOf(value.slice(0, longest))) {
      if (text.length < shortest) continue
      const start = text.slice(0, shortest)
      for (let at = 0; at < step; at++) mark(this.#filter, hashAt(start, at))
      if (/^\d+$/.test(start)) mark(this.#digitStarts, Number(start))
      const lengths = getOrMake(this.#needles, start, () => new Map<number, Map<string, Needle[]>>())
      const texts = getOrMake(lengths, text.length, () => new Map<string, Needle[]>())
      getOrMake(texts, text, () => []).push({ token, spelling })
    }
  }

  /** Finds the values in a text, and in what it says when it is decoded once or twice. */
  find(text: string, most: number): Leak[] {
    const budget = { bytes: mostUnpacked }
    return this.#findWithin(text, most, mostDecoded, budget)
  }

  #findWithin(text: string, most: number, depth: number, budget: Budget): Leak[] {
    const found: Leak[] = []
    this.#findUnchanged(text, most, found)
    this.#findSeparated(text, most, found)
    if (depth === 0) return found
    for (const layer of [...decodeEscapes(text, longestSpelling), ...decodeRuns(text, budget)]) {
      const known = [...found]
      for (const { offset, length, token } of this.#findWithin(layer.text, most, depth - 1, budget)) {
        const from = layer.offsetOf(offset)
        const to = Math.max(from + 1, layer.offsetOf(offset + length))
        const isKnown = known.some(
          one => one.token === token && one.offset < to && from < one.offset + one.length,
        )
        if (isKnown || found.length >= most) continue
        found.push({ offset: from, length: to - from, token, spelling: layer.spellingOf(from, to) })
      }
    }
    return found
  }

  // A function of its own, as V8 would compile a loop with code behind it again for each text.
  #findUnchanged(text: string, most: number, found: Leak[]): void {
    const filter = this.#filter
    for (let at = 0; at <= text.length - gram && found.length < most; at += step) {
      if (!isMarked(filter, hashAt(text, at))) continue
      for (let from = Math.max(0, at - step + 1); from <= at; from++) this.#compare(text, from, found)
    }
  }

  #compare(text: string, from: number, found: Leak[]): void {
    const lengths = this.#needles.get(text.slice(from, from + shortest))
    if (!lengths) return
    for (const [length, texts] of lengths) {
      for (const { token, spelling } of texts.get(text.slice(from, from + length)) ?? []) {
        found.push({ offset: from, length, token, spelling })
      }
    }
  }

  #findSeparated(text: string, most: number, found: Leak[]): void {
    const separated = /\d[ .\u00a0-](?=\d)/g
    for (let within = separated.exec(text); within && found.length < most; within = separated.exec(text)) {
      let from = within.index
      while (isDigit(text.charCodeAt(from - 1))) from--
      separated.lastIndex = this.#compareDigits(text, from, found)
    }
  }

  /** Compares a run of digits with single spaces and dashes between them. Returns its end. */
  #compareDigits(text: string, from: number, found: Leak[]): number {
    let digits = ''
    const places: number[] = []
    let at = from
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (isDigit(unit)) {
        digits += text[at]
        places.push(at)
      } else if (!isSeparator(unit) || !isDigit(text.charCodeAt(at + 1))) break
    }
    let start = 0
    for (let last = 0; last < digits.length; last++) {
      start = (start * 10 + digits.charCodeAt(last) - 48) % digitStarts
      if (last >= shortest - 1 && isMarked(this.#digitStarts, start)) {
        this.#compareSeparated(digits, places, last - shortest + 1, found)
      }
    }
    return at
  }

  /** What has no space or dash in it was found before. */
  #compareSeparated(digits: string, places: readonly number[], first: number, found: Leak[]): void {
    const offset = places[first] ?? 0
    for (const [count, texts] of this.#needles.get(digits.slice(first, first + shortest)) ?? []) {
      const length = (places[first + count - 1] ?? 0) + 1 - offset
      if (length === count) continue
      for (const { token } of texts.get(digits.slice(first, first + count)) ?? []) {
        found.push({ offset, length, token, spelling: 'separated' })
      }
    }
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Hashes four characters. Of others than Latin ones the low bits count, which is enough for a filter. */
function hashAt(text: string, at: number): number {
  const units =
    text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 8) ^
    (text.charCodeAt(at + 2) << 16) ^
    (text.charCodeAt(at + 3) << 24)
  return Math.imul(units, 0x9e3779b1) >>> (32 - filterBits)
}

function mark(bits: Uint8Array, at: number): void {
  bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (1 << (at & 7))
}

const isMarked = (bits: Uint8Array, at: number) => ((bits[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0
