export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
export interface JsonObject {
  [member: string]: JsonValue
}

// Requirements: WIR-506
export const jsonDepthLimit = 64

/** JSON that cannot be kept as it was sent. `path` is dotted, `offset` counts UTF-16 units from 0. */
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

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Bytes to text; `undefined` where they are not UTF-8. A byte order mark is not stripped: JSON has none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses JSON and refuses what would come back altered: integers beyond ±(2^53 − 1), numbers of more than
 * 17 significant digits or out of a double's range, repeated member names, lone surrogates, `__proto__`,
 * nesting deeper than 64.
 *
 * `JSON.parse` reads the text; the scan before it walks the same text once for what `JSON.parse` lets pass.
 * @throws {JsonError}
 */
// Requirements: WIR-505
export function parseJson(text: string): JsonValue {
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    // The engine's message quotes the text, which may be a card number.
    throw new JsonError('is not well-formed JSON', '', syntaxErrorOffset(text))
  }
  new LossScan(text).run()
  return value
}

/** Walks text that `JSON.parse` has accepted, so it need not check the grammar again. */
class LossScan {
  readonly #text: string
  /** No text in it is escaped, and none has half a character: then what stands between quotes is as it stands. */
  readonly #isPlain: boolean
  readonly #path: (string | number)[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#isPlain = !text.includes('\\') && text.isWellFormed()
  }

  run(): void {
    this.#value()
  }

  #value(): void {
    this.#skipBlank()
    const code = this.#text.charCodeAt(this.#at)
    if (code === 0x7b) this.#object()
    else if (code === 0x5b) this.#array()
    else if (code === 0x22) this.#string()
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.#number()
    else this.#at += code === 0x66 ? 5 : 4 // false, true or null
    this.#skipBlank()
  }

  #object(): void {
    const names = new Set<string>()
    this.#enter()
    while (this.#text[this.#at] !== '}') {
      this.#skipBlank()
      const start = this.#at
      const name = this.#string()
      this.#path[this.#path.length - 1] = name
      if (names.has(name)) this.#fail('is there twice', start)
      if (name === '__proto__') this.#fail('is not allowed as a member name', start)
      names.add(name)
      this.#skipBlank()
      this.#at++ // the colon
      this.#value()
      if (this.#text[this.#at] === ',') this.#at++
      this.#skipBlank()
    }
    this.#leave()
  }

  #array(): void {
    this.#enter()
    for (let index = 0; this.#text[this.#at] !== ']'; index++) {
      this.#path[this.#path.length - 1] = index
      this.#value()
      if (this.#text[this.#at] === ',') this.#at++
    }
    this.#leave()
  }

  #enter(): void {
    if (this.#path.length >= jsonDepthLimit) {
      this.#fail(`is nested deeper than ${jsonDepthLimit} levels`, this.#at)
    }
    this.#path.push('')
    this.#at++
    this.#skipBlank()
  }

  #leave(): void {
    this.#path.pop()
    this.#at++
  }

  #string(): string {
    const start = this.#at
    if (this.#isPlain) {
      const end = this.#text.indexOf('"', start + 1)
      this.#at = end + 1
      return this.#text.slice(start + 1, end)
    }
    let escaped = false
    let at = start + 1
    for (let code = this.#text.charCodeAt(at); code !== 0x22; code = this.#text.charCodeAt(at)) {
      if (code === 0x5c) {
        escaped = true
        at++
      }
      at++
    }
    this.#at = at + 1
    const raw = this.#text.slice(start + 1, at)
    const value: string = escaped ? JSON.parse(`"${raw}"`) : raw
    if (!value.isWellFormed()) this.#fail('holds a lone surrogate, which is no text', start)
    return value
  }

  #number(): void {
    const start = this.#at
    if (this.#passSmallInteger()) return
    numberToken.lastIndex = start
    const token = numberToken.exec(this.#text)?.[0] ?? ''
    this.#at = start + token.length
    const value = Number(token)
    const digits = token
      .replace(/[eE].*$/, '')
      .replace(/[-.]/g, '')
      .replace(/^0+/, '')
    if (!Number.isFinite(value)) this.#fail('is a number too large to be kept', start)
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.#fail('is an integer beyond ±(2^53 − 1); send it as a string', start)
    }
    if (digits.length > 17) this.#fail('has more than 17 significant digits; send it as a string', start)
    if (value === 0 && digits !== '') this.#fail('is a number too small to be kept', start)
    if (Object.is(value, -0)) this.#fail('is negative zero, which JSON readers do not keep', start)
  }

  /** Most numbers are whole and short, and need no closer look. */
  #passSmallInteger(): boolean {
    let at = this.#at
    let code = this.#text.charCodeAt(at)
    while (code >= 0x30 && code <= 0x39) code = this.#text.charCodeAt(++at)
    const isWhole = code !== 0x2e && code !== 0x65 && code !== 0x45
    if (at === this.#at || at - this.#at > 15 || !isWhole) return false
    this.#at = at
    return true
  }

  #skipBlank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #fail(message: string, offset: number): never {
    // A member name may itself be sensitive or hostile: only plain names are repeated.
    const path = this.#path.map(step => (plainName.test(String(step)) ? step : '?')).join('.')
    throw new JsonError(message, path, offset)
  }
}

const numberToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const plainName = /^[A-Za-z_$][\w$-]{0,63}$|^\d{1,6}$/

/** Where a text stops being JSON, as far as the engine says: its position, or the end of the text. */
function syntaxErrorOffset(text: string): number {
  try {
    JSON.parse(text)
    return text.length
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')
    return position?.[1] === undefined ? text.length : Number(position[1])
  }
}
