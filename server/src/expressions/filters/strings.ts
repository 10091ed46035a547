import type { JsonValue } from '../../base/json/json.ts'
import { cut, indexOf, lastIndexOf } from '../find-text.ts'
import type { Run } from '../run.ts'
import { countCharacters, sliceCharacters, toText } from '../text.ts'
import { toNumber } from '../value.ts'
import { characterArgument, countArgument, type Filter, type FilterFamily, ofScalar } from './filter.ts'

/** A filter from texts to a value. Its input and arguments are converted to text. */
function ofText(
  takes: Filter['takes'],
  apply: (text: string, args: string[], run: Run) => JsonValue,
): Filter {
  return {
    takes,
    apply: (input, args, run) =>
      apply(
        toText(input, run),
        args.map(argument => toText(argument, run)),
        run,
      ),
  }
}

function replaceAll(text: string, pattern: string, replacement: string, run: Run): string {
  const parts = cut(text, pattern, run)
  run.meter.text(text.length + (parts.length - 1) * (replacement.length - pattern.length))
  return parts.join(replacement)
}

function replaceAt(text: string, index: number, length: number, replacement: string): string {
  return index < 0 ? text : text.slice(0, index) + replacement + text.slice(index + length)
}

/** Returns a length or position given as an argument. As in Liquid, anything but a number counts as 0. */
function whole(argument: JsonValue | undefined, fallback: number): number {
  return argument === undefined ? fallback : Math.trunc(toNumber(argument))
}

function slice(input: JsonValue, [from, count]: readonly JsonValue[], run: Run): JsonValue {
  const text = Array.isArray(input) ? '' : toText(input, run)
  const size = Array.isArray(input) ? input.length : countCharacters(text, run)
  const offset = whole(from, 0)
  const start = offset < 0 ? size + offset : offset
  const length = Math.max(start < 0 ? 0 : whole(count, 1), 0)
  if (Array.isArray(input)) return length === 0 ? [] : input.slice(start, start + length)
  return length === 0 ? '' : sliceCharacters(text, run, start, start + length)
}

function truncate(input: JsonValue, [most, more]: readonly JsonValue[], run: Run): string {
  const text = toText(input, run)
  const ending = toText(more ?? '...', run)
  const length = whole(most, 50)
  if (countCharacters(text, run) <= length) return text
  return sliceCharacters(text, run, 0, Math.max(length - countCharacters(ending, run), 0)) + ending
}

function truncateWords(input: JsonValue, [most, more]: readonly JsonValue[], run: Run): string {
  const text = toText(input, run)
  run.meter.elements(text.length / 2)
  const words = text.trim().split(/\s+/)
  const count = Math.max(whole(most, 15), 1)
  return words.length <= count
    ? words.join(' ')
    : words.slice(0, count).join(' ') + toText(more ?? '...', run)
}

/** Splits a text and drops empty texts at the end, as Ruby does. */
function split(text: string, separator: string, run: Run): string[] {
  const parts = cut(text, separator, run)
  while (parts.at(-1) === '') parts.pop()
  return parts
}

/** A filter that pads a text to a length. Longer text stays unchanged. */
function padding(join: (text: string, padding: string) => string): Filter {
  return ofScalar([2, 2], (text, [length, fill], run) => {
    const missing = countArgument(length) - countCharacters(text, run)
    const character = characterArgument(fill, ' ')
    if (missing <= 0) return text
    run.meter.text(text.length + missing * character.length)
    return join(text, character.repeat(missing))
  })
}

/** The text filters of Liquid, and those that pad a text. */
export const stringFilters: FilterFamily = {
  append: ofText([1, 1], (text, [more = '']) => text + more),
  prepend: ofText([1, 1], (text, [more = '']) => more + text),
  remove: ofText([1, 1], (text, [pattern = ''], run) => replaceAll(text, pattern, '', run)),
  remove_first: ofText([1, 1], (text, [pattern = ''], run) =>
    replaceAt(text, indexOf(text, pattern, run), pattern.length, ''),
  ),
  remove_last: ofText([1, 1], (text, [pattern = ''], run) =>
    replaceAt(text, lastIndexOf(text, pattern, run), pattern.length, ''),
  ),
  replace: ofText([2, 2], (text, [pattern = '', replacement = ''], run) =>
    replaceAll(text, pattern, replacement, run),
  ),
  replace_first: ofText([2, 2], (text, [pattern = '', replacement = ''], run) =>
    replaceAt(text, indexOf(text, pattern, run), pattern.length, replacement),
  ),
  replace_last: ofText([2, 2], (text, [pattern = '', replacement = ''], run) =>
    replaceAt(text, lastIndexOf(text, pattern, run), pattern.length, replacement),
  ),
  split: ofText([1, 1], (text, [separator = ''], run) => split(text, separator, run)),
  slice: { takes: [1, 2], apply: slice },
  truncate: { takes: [0, 2], apply: truncate },
  truncatewords: { takes: [0, 2], apply: truncateWords },
  /** @example {{ '1234' | pad_left: 6, '0' }} → 001234 */
  pad_left: padding((text, padding) => padding + text),
  /** @example {{ '1234' | pad_right: 6, '0' }} → 123400 */
  pad_right: padding((text, padding) => text + padding),
}
