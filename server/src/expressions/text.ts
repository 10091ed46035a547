import type { JsonObject, JsonValue } from '../base/json/json.ts'
import type { Metered } from './meter.ts'

/**
 * Returns a value as it appears in longer text: text unchanged, null as '', anything else as JSON. Liquid itself
 * concatenates the elements of a list, which would give [1, 23] and [12, 3] the same fingerprint.
 */
export function toText(value: JsonValue, run: Metered): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  return typeof value === 'object' ? jsonText(value, run) : String(value)
}

/** Returns compact JSON, with members in the order in which they are stored. */
export function jsonText(value: JsonValue, run: Metered): string {
  const size = affordableJsonSize(value, run)
  run.meter.text(size)
  // Sizing and writing take about four times as long as copying text.
  run.meter.characters(size * 4)
  return JSON.stringify(value)
}

/** Returns the length of the value's JSON; stops counting once it exceeds the limit for text. */
export function affordableJsonSize(value: JsonValue, { meter }: Metered): number {
  // A list may contain one large value a thousand times, so its size is checked before the text is made.
  const size = meter.sizeOf(value) ?? jsonSize(value, meter.textLimit)
  if (size <= meter.textLimit || !meter.extend()) return size
  return meter.sizeOf(value) ?? jsonSize(value, meter.textLimit)
}

/** Returns the length of the value's JSON, or some number above `most` if it is longer. */
export function jsonSize(value: JsonValue, most = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return quotedSize(value)
  if (value === null || typeof value !== 'object') return String(value).length
  let size = 1
  if (Array.isArray(value)) {
    for (const element of value) {
      size += 1 + jsonSize(element, most - size)
      if (size > most) return size
    }
  } else {
    for (const name of Object.keys(value)) {
      size += 2 + quotedSize(name) + jsonSize(value[name] ?? null, most - size)
      if (size > most) return size
    }
  }
  return size === 1 ? 2 : size
}

function quotedSize(text: string): number {
  return needsEscape.test(text) ? JSON.stringify(text).length : text.length + 2
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes these
const needsEscape = /["\\\u0000-\u001f]/

/** Characters are code points: a filter must not split a surrogate pair. */
export function countCharacters(text: string, run: Metered): number {
  return hasPairs(text, run) ? toCharacters(text, run).length : text.length
}

export function toCharacters(text: string, run: Metered): string[] {
  run.meter.elements(text.length)
  return Array.from(text)
}

/** Like `text.slice(start, end)`, but counts code points. */
export function sliceCharacters(text: string, run: Metered, start: number, end?: number): string {
  return hasPairs(text, run) ? toCharacters(text, run).slice(start, end).join('') : text.slice(start, end)
}

function hasPairs(text: string, run: Metered): boolean {
  run.meter.characters(text.length)
  return /[\ud800-\udfff]/.test(text)
}

/** Returns `value.name` or `value[name]`. Only members of the JSON itself can be read; all else is null. */
export function member(value: JsonValue, name: JsonValue, run: Metered): JsonValue {
  if (Array.isArray(value)) {
    if (typeof name === 'number') return value.at(name) ?? null
    if (name === 'size') return value.length
    if (name === 'first') return value[0] ?? null
    return name === 'last' ? (value.at(-1) ?? null) : null
  }
  if (typeof value === 'string') return name === 'size' ? countCharacters(value, run) : null
  if (typeof value !== 'object' || value === null) return null
  if (typeof name !== 'string' && typeof name !== 'number') return null
  if (Object.hasOwn(value, name)) return value[name] ?? null
  return name === 'size' ? countMembers(value, run) : null
}

/** Counts the members of an object. Charged per member: listing the names of a large object is slow. */
export function countMembers(object: JsonObject, run: Metered): number {
  const { length } = Object.keys(object)
  run.meter.step(length)
  return length
}

/**
 * Charges a search for a pattern. The search of V8 takes O(text × pattern) time on texts like 'aaaa…', about a microsecond
 * for 4,096 comparisons.
 */
export function chargeSearch(text: string, pattern: string, run: Metered): void {
  if (pattern.length <= text.length) run.meter.characters(text.length * Math.max(1, pattern.length / 16))
}
