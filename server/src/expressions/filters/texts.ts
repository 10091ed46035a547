import { isJsonObject, type JsonValue } from '../../base/json/json.ts'
import { decodeUtf8 } from '../../base/utf8.ts'
import { equals } from '../comparing.ts'
import { filters } from '../liquid/liquidjs.ts'
import type { Run } from '../run.ts'
import { chargeSearch, countCharacters, toCharacters, toText } from '../text.ts'
import { empty, toNumber } from '../value.ts'
import {
  characterArgument,
  countArgument,
  type Filter,
  type FilterFamily,
  ofScalar,
  unsuitable,
} from './filter.ts'

type Takes = Filter['takes']

/** A filter from texts. Its input and arguments are converted to text. `effort` is its cost relative to copying, at most. */
function ofTexts(takes: Takes, apply: (texts: string[], run: Run) => JsonValue, effort = 1): Filter {
  return {
    takes,
    apply: (input, args, run) => {
      const text = toText(input, run)
      run.meter.characters(text.length * effort)
      return apply([text, ...args.map(argument => toText(argument, run))], run)
    },
  }
}

/** A filter of liquidjs, which charges what it copies to the run. */
function callNative<T extends JsonValue>(name: string, run: Run, values: readonly JsonValue[]): T {
  const filter = filters[name] as unknown as (this: { readonly context: Run }, ...values: unknown[]) => T
  return filter.apply({ context: run }, [...values])
}

const native = (name: string, takes: Takes = [0, 0], effort?: number) =>
  ofTexts(takes, (texts, run) => callNative(name, run, texts), effort)

/** A filter of liquidjs that looks for its first argument. */
const searching = (name: string, takes: Takes) =>
  ofTexts(takes, (texts, run) => {
    chargeSearch(texts[0] ?? '', texts[1] ?? '', run)
    return callNative(name, run, texts)
  })

/** Splits a text at every occurrence of a pattern; an empty one splits between all characters, and no surrogate pair. */
function cut(text: string, pattern: string, run: Run): string[] {
  chargeSearch(text, pattern, run)
  const parts = pattern === '' ? toCharacters(text, run) : text.split(pattern)
  run.meter.elements(pattern === '' ? 0 : parts.length)
  return parts
}

function replaceAll([text = '', pattern = '', replacement = '']: readonly string[], run: Run): string {
  const parts = cut(text, pattern, run)
  run.meter.text(text.length + (parts.length - 1) * (replacement.length - pattern.length))
  return parts.join(replacement)
}

/** Drops empty texts at the end, as Ruby does. */
function split([text = '', separator = '']: readonly string[], run: Run): string[] {
  const parts = cut(text, separator, run)
  while (parts.at(-1) === '') parts.pop()
  return parts
}

/** Returns a length or position given as an argument. As in Liquid, anything but a number counts as 0. */
const whole = (argument: JsonValue) => Math.trunc(toNumber(argument))

/** A filter of liquidjs whose first `counts` arguments are whole numbers. */
function counting(name: string, takes: Takes, counts: number): Filter {
  const read = (argument: JsonValue, index: number, run: Run) =>
    index < counts ? whole(argument) : toText(argument, run)
  return {
    takes,
    apply: (input, args, run) => {
      const value = Array.isArray(input) && name === 'slice' ? input : toText(input, run)
      return callNative(name, run, [value, ...args.map((argument, index) => read(argument, index, run))])
    },
  }
}

function truncateWords(input: JsonValue, [most = 15, more = '...']: readonly JsonValue[], run: Run): string {
  const text = toText(input, run)
  run.meter.elements(text.length / 2)
  const words = text.trim().split(/\s+/)
  const count = Math.max(whole(most), 1)
  return words.slice(0, count).join(' ') + (words.length > count ? toText(more, run) : '')
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

function percentDecode([text = '']: readonly string[]): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw unsuitable('takes text in which every % begins an encoded character')
  }
}

function base64Decode(text: string, alphabet: RegExp): string {
  const digits = text.replace(/[\t\n\f\r ]|={1,2}$/g, '')
  const decoded =
    alphabet.test(digits) && digits.length % 4 !== 1 ? decodeUtf8(Buffer.from(digits, 'base64')) : undefined
  if (decoded === undefined) throw unsuitable('takes base64 of UTF-8 text')
  return decoded
}

const named = (make: (name: string) => Filter, names: string): FilterFamily =>
  Object.fromEntries(names.split(' ').map(name => [name, make(name)]))

/** The text filters of Liquid, and those that pad a text. */
export const textFilters: FilterFamily = {
  ...named(
    name => native(name),
    'upcase downcase capitalize strip lstrip rstrip strip_newlines squish strip_html base64_encode',
  ),
  ...named(name => native(name, [1, 1]), 'append prepend'),
  ...named(name => searching(name, [1, 1]), 'remove_first remove_last'),
  ...named(name => searching(name, [2, 2]), 'replace_first replace_last'),
  escape: native('escape', [0, 0], 8),
  escape_once: native('escape_once', [0, 0], 12),
  newline_to_br: native('newline_to_br', [0, 0], 4),
  url_encode: native('url_encode', [0, 0], 4),
  url_decode: ofTexts([0, 0], percentDecode, 4),
  base64_decode: ofTexts([0, 0], ([text = '']) => base64Decode(text, /^[A-Za-z0-9+/]*$/)),
  // Padded, unlike Node's base64url.
  base64_url_safe_encode: ofTexts([0, 0], ([text = '']) =>
    Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  ),
  base64_url_safe_decode: ofTexts([0, 0], ([text = '']) => base64Decode(text, /^[A-Za-z0-9_-]*$/)),
  remove: ofTexts([1, 1], replaceAll),
  replace: ofTexts([2, 2], replaceAll),
  split: ofTexts([1, 1], split),
  slice: counting('slice', [1, 2], 2),
  truncate: counting('truncate', [0, 2], 1),
  truncatewords: { takes: [0, 2], apply: truncateWords },
  /** @example {{ '1234' | pad_left: 6, '0' }} → 001234 */
  pad_left: padding((text, padding) => padding + text),
  /** @example {{ '1234' | pad_right: 6, '0' }} → 123400 */
  pad_right: padding((text, padding) => text + padding),

  /** Returns the argument instead of null, false or an empty text, list or object; `allow_false: true` keeps false. */
  default: {
    takes: [1, 1],
    named: ['allow_false'],
    apply: (input, args, run, options) =>
      isJsonObject(input) && equals(input, empty, run)
        ? (args[0] ?? null)
        : callNative('default', run, [input, ...args, ...Object.entries(options)]),
  },
}
