import { limits } from '../../generated/facts.ts'

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
export function endOfString(text: string, start: number): number {
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
