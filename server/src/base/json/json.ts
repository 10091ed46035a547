import { inTurns, type Pass } from '../flow/turns.ts'
import { findExcess, JsonError, scanForLoss } from './json-loss.ts'

export { JsonError } from './json-loss.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
export interface JsonObject {
  [member: string]: JsonValue
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Parses JSON and refuses what would be altered: integers beyond ±(2^53 − 1), numbers whose value a double cannot
 * represent, repeated member names, lone surrogates and `__proto__`. Refuses nesting deeper than 64, and more than
 * 100,000 members and elements.
 * @throws {JsonError}
 */
// Requirements: WIR-505, WIR-506, WIR-522
export function parseJson(text: string): JsonValue {
  refuseExcess(text)
  const value = parsed(text)
  if (!isSurelyLossless(text, value)) for (const _ of scanForLoss(text));
  return value
}

/** Like `parseJson`, for long text: lets others go first between its steps. Rejects with a JsonError. */
export async function parseJsonInTurns(text: string, pass: Pass): Promise<JsonValue> {
  refuseExcess(text)
  await pass()
  const value = parsed(text)
  await inTurns(scanForLoss(text), pass)
  return value
}

/** True for most texts without blanks, and much faster than a scan. */
function isSurelyLossless(text: string, value: JsonValue): boolean {
  return JSON.stringify(value) === text && !refusedThoughLossless.test(text)
}
/** Lone surrogates, `__proto__` and integers beyond 2^53: refused even if they come back the same. */
const refusedThoughLossless = /\\ud|__proto__|(?:^|[:[,])-?\d{16}|\de\+/

function refuseExcess(text: string): void {
  const excess = findExcess(text)
  if (excess) throw new JsonError(excess.message, '', excess.offset)
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    // V8's message quotes the text, which may be a card number.
    throw new JsonError('is not well-formed JSON', '', findSyntaxError(text))
  }
}

/**
 * Returns a copy of a JSON value with each leaf replaced. A leaf that becomes `undefined` is left out of its object or
 * list, so later elements of a list move up.
 *
 * @param replace gets a leaf and its path, which is valid only during the call
 * @param isLeaf by default true for everything but objects and lists
 */
export function mapLeaves(
  json: JsonValue,
  replace: (leaf: JsonValue, path: readonly (string | number)[]) => JsonValue | undefined,
  isLeaf: (value: JsonValue) => boolean = value => typeof value !== 'object' || value === null,
): JsonValue | undefined {
  const path: (string | number)[] = []
  const below = (step: string | number, value: JsonValue) => {
    path.push(step)
    const mapped = map(value)
    path.pop()
    return mapped
  }
  const map = (value: JsonValue): JsonValue | undefined => {
    if (isLeaf(value)) return replace(value, path)
    if (Array.isArray(value)) {
      return value.map((element, index) => below(index, element)).filter(one => one !== undefined)
    }
    const copy: Record<string, JsonValue> = {}
    const members = value as JsonObject
    for (const name of Object.keys(members)) {
      const mapped = below(name, members[name] ?? null)
      if (mapped !== undefined) define(copy, name, mapped)
    }
    return copy
  }
  return map(json)
}

/** Sets a member of its own, `__proto__` too. Assigning takes a quarter of the time of defining. */
function define(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

/**
 * Changes each member of an object, or each item of a list. Returns the value itself if none has changed: a large body
 * is not copied.
 */
export function mapMembers(
  value: JsonObject | JsonValue[],
  change: (member: JsonValue, name: string | number) => JsonValue,
): JsonValue {
  let copy: Record<string | number, JsonValue> | undefined
  const names = Array.isArray(value) ? value.keys() : Object.keys(value)
  const members = value as Record<string | number, JsonValue>
  for (const name of names) {
    const member = members[name] as JsonValue
    const changed = change(member, name)
    if (changed === member) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as typeof members
    copy[name] = changed
  }
  return (copy as JsonValue | undefined) ?? value
}

const space = /[ \t\n\r]*/y
/** The longest text that a number, or an escape in a string, can begin with. */
const numberStart = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y
const escapeStart = /\\(?:["\\/bfnrt]|u[\da-fA-F]{0,4})?/y
const words = ['true', 'false', 'null']

/** What may come next. With `first`, a list or object may close without a member. */
type Next = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma'

/** A token: where it ends, and if it is whole. If not, a character that cannot be follows, or nothing. */
interface Token {
  readonly end: number
  readonly isWhole: boolean
}

/**
 * Returns the offset of the first character that cannot be in JSON, or the length of a text that is cut off. V8 names it in
 * some messages only. To be called for text that `JSON.parse` refuses; takes linear time.
 */
export function findSyntaxError(text: string): number {
  const closing: ('}' | ']')[] = []
  let next: Next = 'value'
  for (let at = matchEnd(space, text, 0); at < text.length; at = matchEnd(space, text, at)) {
    const sign = text.charAt(at)
    const member = closing.at(-1) === '}' ? 'name' : 'value'
    if (sign === closing.at(-1) && (next === 'comma' || next === `first ${member}`)) {
      closing.pop()
      next = 'comma'
      at++
    } else if (next === 'comma' || next === 'colon') {
      // Behind the whole document nothing can follow.
      if (closing.length === 0 || sign !== (next === 'comma' ? ',' : ':')) return at
      next = next === 'comma' ? member : 'value'
      at++
    } else if (!next.endsWith('name') && (sign === '{' || sign === '[')) {
      closing.push(sign === '{' ? '}' : ']')
      next = sign === '{' ? 'first name' : 'first value'
      at++
    } else {
      const isName = next.endsWith('name')
      const { end, isWhole } =
        sign === '"' ? readString(text, at) : isName ? nothing(at) : readLiteral(text, at)
      if (!isWhole) return end
      next = isName ? 'colon' : 'comma'
      at = end
    }
  }
  return text.length
}

const nothing = (at: number): Token => ({ end: at, isWhole: false })

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function readString(text: string, start: number): Token {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { end: at + 1, isWhole: true }
    if (code < 0x20) return nothing(at)
    if (code !== 0x5c) continue
    const end = matchEnd(escapeStart, text, at)
    const isWhole = end - at === (text.charAt(at + 1) === 'u' ? 6 : 2)
    if (!isWhole) return nothing(end)
    at = end - 1
  }
  return nothing(text.length)
}

function readLiteral(text: string, at: number): Token {
  const word = words.find(one => one[0] === text[at])
  if (word === undefined) {
    const end = matchEnd(numberStart, text, at)
    return { end, isWhole: /\d$/.test(text.slice(Math.max(at, end - 1), end)) }
  }
  let length = 1
  while (length < word.length && text[at + length] === word[length]) length++
  return { end: at + length, isWhole: length === word.length }
}
