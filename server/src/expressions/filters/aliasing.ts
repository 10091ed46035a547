import type { JsonValue } from '../../base/json.ts'
import type { Run } from '../run.ts'
import { toCharacters } from '../text.ts'
import { countArgument, type FilterFamily, flagArgument, scalarText, unsuitable } from './filter.ts'
import { binLength } from './masking.ts'
import { isKept, randomCharacters } from './random-characters.ts'

const digits = '0123456789'
const lowerCase = 'abcdefghijklmnopqrstuvwxyz'
const upperCase = lowerCase.toUpperCase()

/** A single digit is drawn as itself ten times in a row once in 10^10 times; 100 times means a broken generator. */
const attempts = 100

/** Draws until the alias differs from the text. @throws {ExpressionError} if that is impossible */
function drawDifferent(filter: string, text: string, draw: () => string): string {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const alias = draw()
    if (alias !== text) return alias
  }
  throw unsuitable(filter, noAlias)
}

const noAlias = 'cannot make an alias: all of the text is revealed or kept'

function alias(
  filter: string,
  input: JsonValue,
  [firstArgument, lastArgument]: readonly JsonValue[],
  alphabetOf: (character: string) => string,
  run: Run,
): JsonValue {
  if (input === null) return null
  const text = scalarText(filter, input)
  const characters = toCharacters(text, run)
  const first = countArgument(filter, firstArgument, 0)
  const end = characters.length - countArgument(filter, lastArgument, 0)
  const alphabets = characters.map((character, index) =>
    index < first || index >= end ? character : alphabetOf(character),
  )
  if (alphabets.every(isKept)) throw unsuitable(filter, noAlias)
  return drawDifferent(filter, text, () => {
    run.meter.elements(characters.length)
    return randomCharacters(alphabets, run.context.random)
  })
}

/** Letters of any script are replaced by letters from a to z: left unchanged, they would reveal the text. */
function formatAlphabet(character: string): string {
  if (/\p{N}/u.test(character)) return digits
  if (/\p{Lu}/u.test(character)) return upperCase
  return /[\p{L}\p{M}]/u.test(character) ? lowerCase : character
}

export const aliasingFilters: FilterFamily = {
  /**
   * Replaces digits by random digits and letters by random letters of the same case; keeps all other characters,
   * and as many of the first and last characters as the arguments say.
   * @example {{ '123-45-6789' | alias_preserve_format: 0, 4 }} → 830-46-6789
   */
  alias_preserve_format: {
    takes: [0, 2],
    apply: (input, args, run) => alias('alias_preserve_format', input, args, formatAlphabet, run),
  },

  /**
   * Returns a random text of the same length, of lower-case letters and digits.
   * @example {{ 'john.doe' | alias_preserve_length }} → k7dn59wb
   */
  alias_preserve_length: {
    takes: [0, 2],
    apply: (input, args, run) => alias('alias_preserve_length', input, args, () => lowerCase + digits, run),
  },

  /**
   * Returns a random card number of the same length that passes the Luhn check, with spaces and hyphens in the same
   * places. The arguments, true or false, say if the BIN and the last four digits are revealed.
   * @example {{ '3622-7206-2716-5567' | alias_card: false, true }} → 4024-4201-9815-5567
   */
  alias_card: {
    takes: [0, 2],
    apply: (input, [showBin, showLast4], run) => {
      if (input === null) return null
      const text = scalarText('alias_card', input)
      if (!/^\d[\d -]*$/.test(text)) throw unsuitable('alias_card', 'takes digits, spaces and hyphens')
      const number = text.replace(/[ -]/g, '')
      const bin = flagArgument('alias_card', showBin) ? binLength(number.length) : 0
      const last = flagArgument('alias_card', showLast4) ? 4 : 0
      // A single hidden digit could be calculated from the check digit.
      if (number.length < bin + last + 2) {
        throw unsuitable('alias_card', 'needs a longer number to reveal this many digits')
      }
      const drawn = drawDifferent('alias_card', number, () => drawCard(number, bin, last, run))
      const next = drawn[Symbol.iterator]()
      return text.replace(/\d/g, () => next.next().value ?? '')
    },
  },
}

/** Draws all hidden digits but the last one, which is chosen so that the number passes the Luhn check. */
function drawCard(number: string, bin: number, last: number, run: Run): string {
  run.meter.elements(number.length)
  const check = number.length - last - 1
  const hidden = new Array<string>(check - bin).fill(digits)
  const head = number.slice(0, bin) + randomCharacters(hidden, run.context.random)
  const tail = number.slice(check + 1)
  const fitting = Array.from(digits).find(digit => luhnSum(head + digit + tail) % 10 === 0)
  return head + fitting + tail
}

/** Returns the checksum of ISO/IEC 7812-1, annex B. */
function luhnSum(number: string): number {
  let sum = 0
  for (let place = 0; place < number.length; place++) {
    const digit = number.charCodeAt(number.length - 1 - place) - 48
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum
}
