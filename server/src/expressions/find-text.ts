import type { Metered } from './meter.ts'

/**
 * V8's own search takes O(text × pattern) time on texts like 'aaaa…' (two seconds for 1 MB and a pattern of 8,000).
 * It is used for patterns up to this length; longer ones are searched in linear time.
 */
const longestPatternForEngine = 200

/** Returns the first index of the pattern from `from` on, or -1. */
export function indexOf(text: string, pattern: string, run: Metered, from = 0): number {
  if (pattern.length > Math.max(text.length - from, 0)) return -1
  if (pattern.length <= longestPatternForEngine) {
    const index = text.indexOf(pattern, from)
    run.meter.characters((index < 0 ? text.length : index) - from)
    return index
  }
  for (const index of occurrences(text, pattern, run, from)) return index
  return -1
}

/** Returns the last index of the pattern, or -1. */
export function lastIndexOf(text: string, pattern: string, run: Metered): number {
  // V8's search from the end takes O(text × pattern) for patterns of any length.
  if (pattern.length <= 1) {
    run.meter.characters(text.length)
    return text.lastIndexOf(pattern)
  }
  let last = -1
  for (const index of occurrences(text, pattern, run, 0)) last = index
  return last
}

/** Splits the text at every occurrence of the pattern; an empty pattern splits between all characters. */
export function cut(text: string, pattern: string, run: Metered): string[] {
  run.meter.elements(pattern === '' ? text.length : 0)
  if (pattern === '') return Array.from(text)
  const parts: string[] = []
  let start = 0
  for (;;) {
    const index = indexOf(text, pattern, run, start)
    run.meter.elements(1)
    if (index < 0) break
    parts.push(text.slice(start, index))
    start = index + pattern.length
  }
  parts.push(text.slice(start))
  return parts
}

/** Knuth–Morris–Pratt: yields every occurrence, overlapping ones too, in one pass over the text. */
function* occurrences(text: string, pattern: string, run: Metered, from: number): Generator<number> {
  run.meter.characters(pattern.length * slowdown)
  const fallback = borders(pattern)
  let matched = 0
  for (let index = from; index < text.length; index++) {
    if (index % stretch === 0) run.meter.characters(stretch * slowdown)
    const code = text.charCodeAt(index)
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0
    if (pattern.charCodeAt(matched) === code) matched++
    if (matched < pattern.length) continue
    yield index - pattern.length + 1
    matched = fallback[matched - 1] ?? 0
  }
}

/** The search is this many times slower than copying, and is charged every `stretch` characters. */
const slowdown = 8
const stretch = 256

/** For each prefix of the pattern, the length of its longest proper prefix that is also its suffix. */
function borders(pattern: string): Int32Array {
  const lengths = new Int32Array(pattern.length)
  let matched = 0
  for (let index = 1; index < pattern.length; index++) {
    const code = pattern.charCodeAt(index)
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = lengths[matched - 1] ?? 0
    if (pattern.charCodeAt(matched) === code) matched++
    lengths[index] = matched
  }
  return lengths
}
