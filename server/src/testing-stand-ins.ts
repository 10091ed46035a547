/** Replaces values by others of the same shape, the same by the same, so that requests with them are still accepted. */
import { isAbaRoutingNumber, isLuhnValid } from './base/check-digits.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './base/json/json.ts'
import { systemRandom } from './base/random.ts'
import { KeyedDigest } from './crypto/digest.ts'
import { permissions, tokenTypes, transforms } from './generated/facts.ts'

/** Values of the contract: no caller has made them up. */
const listed = new Set<string>([
  ...[...Object.keys(tokenTypes), ...permissions, ...transforms],
  ...['public', 'private', 'management', 'string', 'number', 'boolean'],
])

/** Members that hold values of callers, and so does everything in them. */
const ofCallers = new Set(['data', 'metadata', 'args', 'raw', 'configuration', 'fingerprint'])

/** Members that say how values are kept, without which a request would be another one. */
const ofSettings = new Set([
  ...['code', 'mask', 'fingerprint_expression', 'search_indexes', 'container', 'containers', 'name'],
  ...['request_parameters', 'title'],
])

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const dateTime = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/
const problemType = /^urn:[a-z]+:error:[a-z_]+$/
/** A token's value in a payload, with how it is to be written. */
const reference = /\{\{\s*([^|{}\s]+)(?![^|{}\s])([^{}]*)\}\}/g

export class StandIns {
  // Of this recording alone: otherwise values could be found by trying all.
  readonly #digest = new KeyedDigest(systemRandom().bytes(32))

  /** @param isData true for a body whose members are all the caller's */
  of(value: JsonValue, isData = false): JsonValue {
    if (typeof value === 'string') return !isData && dateTime.test(value) ? value : this.ofText(value)
    if (typeof value === 'number') return this.#number(value)
    if (Array.isArray(value)) return value.map(item => this.of(item, isData))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        if (isData) return [this.ofName(name), this.of(item, true)]
        if (ofSettings.has(name)) return [name, item]
        if (name === 'pagination' && isJsonObject(item)) return [name, this.#pagination(item)]
        if (name === 'callback_url' && typeof item === 'string') return [name, this.#url(item)]
        if (name === 'query' && typeof item === 'string') return [name, this.#query(item)]
        return [name, this.of(item, ofCallers.has(name))]
      }),
    )
  }

  /** Letters and digits are replaced; ids that servers make stay, as do references to tokens. */
  ofText(text: string): string {
    if (listed.has(text) || uuid.test(text) || problemType.test(text)) return text
    let rest = 0
    let standIn = ''
    for (const match of text.matchAll(reference)) {
      const [whole, id = '', how = ''] = match
      standIn += this.#replaced(text.slice(rest, match.index))
      standIn += `{{ ${this.ofText(id)}${how.replaceAll(/\d{3,}/g, digits => this.#replaced(digits))}}}`
      rest = match.index + whole.length
    }
    return standIn + this.#replaced(text.slice(rest))
  }

  /** Names of members stay if they look like names. */
  ofName(name: string): string {
    return /^[A-Za-z_]{1,40}$/.test(name) ? name : this.ofText(name)
  }

  #number(value: number): number {
    const isSmall = Number.isInteger(value) && value >= 0 && value <= 12
    const isYear = Number.isInteger(value) && value >= 2000 && value <= 2099
    return isSmall || isYear ? value : Number(this.#replaced(String(value)))
  }

  /** Numbers of pages and items stay. A cursor does not. */
  #pagination(pagination: JsonObject): JsonObject {
    const entries = Object.entries(pagination)
    return Object.fromEntries(
      entries.map(([name, item]) => [name, typeof item === 'number' ? item : this.of(item)]),
    )
  }

  /** The address of the server stays. */
  #url(text: string): string {
    if (!URL.canParse(text)) return this.ofText(text)
    const { origin } = new URL(text)
    return text.startsWith(origin) ? origin + this.ofText(text.slice(origin.length)) : this.ofText(text)
  }

  /** Replaces what is searched for; names of fields and operators stay. */
  #query(query: string): string {
    return query.replaceAll(/(:\s*\(?"?)([^\s()"]+)/g, (_, before: string, value: string) =>
      dateTime.test(value) ? before + value : before + this.ofText(value),
    )
  }

  #replaced(text: string): string {
    if (text === '') return ''
    const random = this.#bytes(text)
    const standIn = Array.from(text, (character, at) => stand(character, random(at))).join('')
    const digits = text.replaceAll(/[ -]/g, '')
    if (/^\d{12,19}$/.test(digits) && isLuhnValid(digits)) {
      // The first two digits say which brand it is.
      const branded = text.slice(0, 2) + standIn.slice(2)
      return withCheckDigit(branded, one => isLuhnValid(one.replaceAll(/[ -]/g, '')))
    }
    return isAbaRoutingNumber(text) ? withCheckDigit(standIn, isAbaRoutingNumber) : standIn
  }

  #bytes(text: string): (at: number) => number {
    let block = -1
    let hex = ''
    return at => {
      if (Math.floor(at / 32) !== block) {
        block = Math.floor(at / 32)
        hex = this.#digest.hex(text, String(block))
      }
      return Number.parseInt(hex.slice(2 * (at % 32), 2 * (at % 32) + 2), 16)
    }
  }
}

/** Without 0, 6 and 9, with which some numbers may not begin. */
const someDigits = '1234578'

function stand(character: string, random: number): string {
  if (/\d/.test(character)) return someDigits[random % someDigits.length] ?? '1'
  if (/[a-z]/.test(character)) return String.fromCharCode(97 + (random % 26))
  if (/[A-Z]/.test(character)) return String.fromCharCode(65 + (random % 26))
  return /[\p{L}\p{N}]/u.test(character) ? 'x' : character
}

function withCheckDigit(text: string, isValid: (text: string) => boolean): string {
  const all = Array.from({ length: 10 }, (_, digit) => text.slice(0, -1) + digit)
  return all.find(isValid) ?? text
}
