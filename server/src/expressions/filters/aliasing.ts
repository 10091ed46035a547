import type { JsonValue } from '../../base/json.ts'
import type { Run } from '../run.ts'
import { toCharacters } from '../text.ts'
import { countArgument, type FilterFamily, flagArgument, scalarText, unsuitable } from './filter.ts'
import { binLength } from './masking.ts'
import { isKept, randomCharacters } from './random-characters.ts'

const digits = '0123456789'
const lowerCase = 'abcdefghijklmnopqrstuvwxyz'
const upperCase = lowerCase.toUpperCase()

/** Among ten digits ten misses in a row are as likely as one card in 10^10; 100 mean a broken generator. */
const attempts = 100

/**
 * Draws until the alias is another text than the one it stands for. What is revealed is the caller's choice,
 * but an alias that reveals the whole text, or has nothing to replace in it, is refused.
 */
function drawOther(filter: string, text: string, draw: () => string): string {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const alias = draw()
    if (alias !== text) return alias
  }
  throw unsuitable(filter, 'finds no alias: all of the text is revealed or kept')
}

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
  if (alphabets.every(isKept)) {
    throw unsuitable(filter, 'finds no alias: all of the text is revealed or kept')
  }
  return drawOther(filter, text, () => {
    run.meter.elements(characters.length)
    return randomCharacters(alphabets, run.surroundings.random)
  })
}

/** Letters of any script become letters from a to z: kept as they are, they would show the text. */
function formatAlphabet(character: string): string {
  if (/\p{N}/u.test(character)) return digits
  if (/\p{Lu}/u.test(character)) return upperCase
  return /[\p{L}\p{M}]/u.test(character) ? lowerCase : character
}

export const aliasingFilters: FilterFamily = {
  /**
   * A random text of the same format: digits for digits, letters for letters in the same case, all else kept;
   * the first and last characters can be revealed.
   * @example {{ '123-45-6789' | alias_preserve_format: 0, 4 }} → 830-46-6789
   */
  alias_preserve_format: {
    takes: [0, 2],
    apply: (input, args, run) => alias('alias_preserve_format', input, args, formatAlphabet, run),
  },

  /**
   * A random text of the same length, from small letters and digits.
   * @example {{ 'john.doe' | alias_preserve_length }} → k7dn59wb
   */
  alias_preserve_length: {
    takes: [0, 2],
    apply: (input, args, run) => alias('alias_preserve_length', input, args, () => lowerCase + digits, run),
  },

  /**
   * A random card number that passes the Luhn check, of the same length and with spaces and hyphens in the same
   * places; whether to reveal the BIN and the last four digits is true or false.
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
      // With one digit hidden, the check digit alone would tell it.
      if (number.length < bin + last + 2)
        throw unsuitable('alias_card', 'takes a longer number to reveal this much')
      const drawn = drawOther('alias_card', number, () => drawCard(number, bin, last, run))
      const next = drawn[Symbol.iterator]()
      return text.replace(/\d/g, () => next.next().value ?? '')
    },
  },
}

/** All hidden digits at random but the last of them, which is the one that makes the number pass. */
function drawCard(number: string, bin: number, last: number, run: Run): string {
  run.meter.elements(number.length)
  const check = number.length - last - 1
  const hidden = new Array<string>(check - bin).fill(digits)
  const head = number.slice(0, bin) + randomCharacters(hidden, run.surroundings.random)
  const tail = number.slice(check + 1)
  const fitting = Array.from(digits).find(digit => luhnSum(head + digit + tail) % 10 === 0)
  return head + fitting + tail
}

/** The sum of ISO/IEC 7812-1 annex B. */
function luhnSum(number: string): number {
  let sum = 0
  for (let place = 0; place < number.length; place++) {
    const digit = number.charCodeAt(number.length - 1 - place) - 48
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum
}
