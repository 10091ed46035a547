import type { Dice } from '../dice.ts'
import { Spelled } from '../json-text.ts'

/** Texts that are hard to handle. */
export const awkwardTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\u001f\u007f',
  '\ufeff',
  '\u2028\u2029',
  '\u202eabc',
  'İıſK',
  'e\u0301',
  '👩‍👩‍👧‍👦',
  '\u{10ffff}',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-0',
  '1e999',
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '{{',
  '}}',
  '{{ }}',
  '{{ data }}',
  '{% if %}',
  '{{{{data}}}}',
  '$ref',
  '$&$1$`',
  '[object Object]',
  "'; DROP TABLE tokens; --",
  '\\',
  '"',
  '\r\n',
  '<script>',
  'a'.repeat(300),
  'é'.repeat(400),
]

/** Unusual spellings of texts in JSON. */
export const awkwardSpellings: readonly string[] = [
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\\ud83d"',
  '"\\u0000"',
  '"\\/"',
  '"\u007f"',
  '"\\x"',
  '"tab\tinside"',
  "'single'",
]

/** Spellings of numbers, most of which a double cannot represent. */
export const awkwardNumbers: readonly string[] = [
  '-0',
  '0.0',
  '-0.0',
  '1E5',
  '1e+5',
  '1.0',
  '100000000000000000000',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '0.30000000000000001',
  '0.1000000000000000055511151231257827',
  '1e308',
  '1e309',
  '-1e309',
  '5e-324',
  '1e-400',
  '1.7976931348623157e308',
  '123456789012345678901234567890.123456789',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
  `1e${'9'.repeat(50)}`,
  '01',
  '+1',
  '.5',
  '5.',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
]

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const wide = `${letters} ÄöÜßéΩж漢字🙂-_.,;:!?'"()[]{}|<>@#$%^&*+=/\\~\``

export function word(dice: Dice, least = 3, most = 12): string {
  return dice.text(letters, least, most)
}

export function anyText(dice: Dice): string {
  return dice.weighted([
    [4, word(dice)],
    [3, [...wide].filter(() => dice.chance(0.15)).join('')],
    [3, dice.pick(awkwardTexts)],
  ])
}

export function anyNumber(dice: Dice): number | Spelled {
  return dice.weighted<number | Spelled>([
    [4, dice.int(-1000, 1000)],
    [2, dice.next() * 10 ** dice.int(-20, 20)],
    [2, new Spelled(dice.pick(awkwardNumbers))],
  ])
}
