import type { Run } from './run.ts'

/**
 * The engine's own search takes time in the order of text × pattern on texts like 'aaaa…' (two seconds for
 * 1 MB and a pattern of 8,000), except for short patterns. Longer ones are searched in linear time.
 */
const longestPatternForEngine = 200

/** Where the pattern is first found from `from` on, or -1. */
export function indexOf(text: string, pattern: string, run: Run, from = 0): number {
  if (pattern.length > Math.max(text.length - from, 0)) return -1
  if (pattern.length <= longestPatternForEngine) {
    const index = text.indexOf(pattern, from)
    run.meter.characters((index < 0 ? text.length : index) - from)
    return index
  }
  for (const index of occurrences(text, pattern, run, from)) return index
  return -1
}

/** Where the pattern is last found, or -1. */
export function lastIndexOf(text: string, pattern: string, run: Run): number {
  // The engine's search from the end is in the order of text × pattern for patterns of any length.
  if (pattern.length <= 1) {
    run.meter.characters(text.length)
    return text.lastIndexOf(pattern)
  }
  let last = -1
  for (const index of occurrences(text, pattern, run, 0)) last = index
  return last
}

/** The text cut at every place where the pattern is found; between all characters for an empty pattern. */
export function cut(text: string, pattern: string, run: Run): string[] {
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

/** Knuth, Morris and Pratt: every place, overlapping ones too, in one pass over the text. */
function* occurrences(text: string, pattern: string, run: Run, from: number): Generator<number> {
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

/** How much slower this is than copying, and how often it pays. */
const slowdown = 8
const stretch = 256

/** For each beginning of the pattern, how long its longest proper beginning is that is its end as well. */
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
