import { endOfString } from './json-bounds.ts'
import { findNumberFault, numberAt, passPlainNumber } from './json-number.ts'
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
  readonly isObject: boolean
  /** The current index or name; `undefined` before the first name. */
  step: number | string | undefined
  /** The names so far; absent for the first one. */
  names: Set<string> | undefined
}

/**
 * Finds JSON that `JSON.parse` accepts but alters. It scans text that `JSON.parse` has accepted, so it does not check
 * the grammar again. It can be run in parts.
 */
export class LossScan {
  readonly #text: string
  readonly #isWellFormed: boolean
  readonly #levels: Level[] = []
  #level: Level | undefined
  #isNameNext = false
  #at = 0
  /** The offset of the next backslash, or the end. */
  #backslash = -1

  constructor(text: string) {
    this.#text = text
    this.#isWellFormed = text.isWellFormed()
  }

  /** Scans about so many more characters. Returns true at the end of the text. @throws {JsonError} */
  run(characters = this.#text.length): boolean {
    const stop = Math.min(this.#at + characters, this.#text.length)
    while (this.#at < stop) this.#token()
    return this.#at >= this.#text.length
  }

  #token(): void {
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x22: // a quote
        if (this.#isNameNext) this.#name()
        else this.#string()
        return
      case 0x2c: // a comma
        this.#at++
        if (this.#level?.isObject) this.#isNameNext = true
        else if (this.#level) (this.#level.step as number)++
        return
      case 0x7b: // {
        this.#enter({ isObject: true, step: undefined, names: undefined })
        return
      case 0x5b: // [
        this.#enter({ isObject: false, step: 0, names: undefined })
        return
      case 0x7d: // }
      case 0x5d: // ]
        this.#at++
        this.#levels.pop()
        this.#level = this.#levels.at(-1)
        this.#isNameNext = false
        return
      case 0x74: // true
      case 0x6e: // null
        this.#at += 4
        return
      case 0x66: // false
        this.#at += 5
        return
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
      case 0x3a: // a colon
        this.#at++
        return
      default:
        this.#number()
    }
  }

  #enter(level: Level): void {
    this.#at++
    this.#levels.push(level)
    this.#level = level
    this.#isNameNext = level.isObject
  }

  #name(): void {
    const start = this.#at
    const level = this.#level as Level
    const before = level.step
    level.step = ''
    const name = this.#string()
    level.step = name
    this.#isNameNext = false
    if (name === '__proto__') this.#fail('is not allowed as a member name', start)
    if (level.names) {
      if (level.names.has(name)) this.#fail('is there twice', start)
      level.names.add(name)
    } else if (before !== undefined) {
      if (before === name) this.#fail('is there twice', start)
      level.names = new Set([String(before), name])
    }
  }

  #string(): string {
    const start = this.#at
    const end = endOfString(this.#text, start)
    this.#at = end + 1
    const raw = this.#text.slice(start + 1, end)
    const value: string = this.#hasEscape(start, end) ? JSON.parse(`"${raw}"`) : raw
    if (!this.#isWellFormed || value !== raw) {
      if (!value.isWellFormed()) this.#fail('contains a lone surrogate, which is not text', start)
    }
    return value
  }

  #hasEscape(start: number, end: number): boolean {
    if (this.#backslash < start) {
      const next = this.#text.indexOf('\\', start)
      this.#backslash = next < 0 ? this.#text.length : next
    }
    return this.#backslash < end
  }

  #number(): void {
    const plain = passPlainNumber(this.#text, this.#at)
    if (plain >= 0) {
      this.#at = plain
      return
    }
    const token = numberAt(this.#text, this.#at)
    const fault = findNumberFault(token)
    if (fault !== undefined) this.#fail(fault, this.#at)
    this.#at += token.length
  }

  #fail(message: string, offset: number): never {
    const path = memberPath(this.#levels.map(({ step = '' }) => step))
    throw new JsonError(message, path, offset)
  }
}
