import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import type { TokenType } from '../contract/types.ts'
import { tokenTypes } from '../generated/facts.ts'

/** Punctuation, spaces and characters without width. Letters and symbols such as `$` or an emoji are part of a value. */
const separators = /[\p{P}\p{Z}\p{Cf}]/gu

/**
 * A number with fewer digits is in many ids by chance, so it counts only if no other digit is next to it, and not in a
 * UUID.
 */
const fewestDigitsInside = 6

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Longer data is not compared: without its separators it would still be longer than an id. */
const longestCompared = 10_000

/**
 * True if an id reveals the data of its token: it is the whole data, in any letter case and with any separators, or
 * contains the card, account or identity number of the data, with any separators. Ids appear in logs, in URLs and in the
 * systems that use the token.
 */
// Requirements: TOK-520
export function holdsData(id: string, type: TokenType, data: JsonValue): boolean {
  return isWholeData(id, data) || containsNumber(id, secretNumber(type, data))
}

/** Returns the card, account or identity number that data of this type holds. */
function secretNumber(type: TokenType, data: JsonValue): string {
  const { secretNumber: member } = tokenTypes[type]
  if (member === null) return ''
  const number = member === '' ? data : isJsonObject(data) && Object.hasOwn(data, member) && data[member]
  return typeof number === 'string' ? number : ''
}

function isWholeData(id: string, data: JsonValue): boolean {
  if (data === null || typeof data === 'object') return false
  const text = String(data)
  if (text.length > longestCompared) return false
  const [bare, bareId] = [bareOf(text), bareOf(id)]
  // Without separators there may be nothing left to compare.
  return bare === '' || bareId === '' ? text === id : bare === bareId
}

function containsNumber(id: string, number: string): boolean {
  const digits = bareOf(number)
  if (digits === '') return false
  const bare = bareOf(id)
  if (digits.length >= fewestDigitsInside) return bare.includes(digits)
  return !uuid.test(id) && [...id.split(/\D+/), ...bare.split(/\D+/)].includes(digits)
}

function bareOf(text: string): string {
  return text.replace(separators, '').toLowerCase()
}
