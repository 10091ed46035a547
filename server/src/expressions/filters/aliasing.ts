import { isLuhnValid } from '../../base/check-digits.ts'
import type { Run } from '../run.ts'
import { toCharacters } from '../text.ts'
import {
  countArgument,
  type Filter,
  type FilterFamily,
  flagArgument,
  ofScalar,
  unsuitable,
} from './filter.ts'
import { binLength } from './masking.ts'

const digits = '0123456789'
const lowerCase = 'abcdefghijklmnopqrstuvwxyz'
const upperCase = lowerCase.toUpperCase()

/** A single digit is drawn as itself ten times in a row once in 10^10 times; 100 times means a broken generator. */
const attempts = 100

/** Draws until the alias differs from the text. @throws {Unsuitable} if that is impossible */
function drawDifferent(text: string, draw: () => string): string {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const alias = draw()
    if (alias !== text) return alias
  }
  throw unsuitable(noAlias)
}

const noAlias = 'cannot make an alias: all of the text is revealed or kept'

/** A filter that replaces characters; its arguments are the numbers of first and last characters to keep. */
function aliasing(alphabetOf: (character: string) => string): Filter {
  return ofScalar([0, 2], (text, [firstShown, lastShown], run) => {
    const characters = toCharacters(text, run)
    const first = countArgument(firstShown)
    const end = characters.length - countArgument(lastShown)
    const alphabets = characters.map((character, index) =>
      index < first || index >= end ? character : alphabetOf(character),
    )
    if (alphabets.every(isUnchanged)) throw unsuitable(noAlias)
    return drawDifferent(text, () => {
      run.meter.elements(characters.length)
      return randomCharacters(alphabets, run.sources.random)
    })
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
  alias_preserve_format: aliasing(formatAlphabet),

  /**
   * Returns a random text of the same length, of lower-case letters and digits.
   * @example {{ 'john.doe' | alias_preserve_length }} → k7dn59wb
   */
  alias_preserve_length: aliasing(() => lowerCase + digits),

  /**
   * Returns a random card number of the same length, with spaces and hyphens in the same places. The arguments, true or
   * false, say if the BIN and the last four digits are revealed, and if the number passes the Luhn check. One that never
   * passes cannot be taken for the number of a card.
   * @example {{ '3622-7206-2716-5567' | alias_card: false, true }} → 4024-4201-9815-5567
   * @example {{ '3622-7206-2716-5567' | alias_card: false, true, false }} → 4024-4201-9814-5567
   */
  alias_card: ofScalar([0, 3], (text, [showBin, showLast4, passes = true], run) => {
    if (!/^\d[\d -]*$/.test(text)) throw unsuitable('takes digits, spaces and hyphens')
    const number = text.replace(/[ -]/g, '')
    const bin = flagArgument(showBin) ? binLength(number.length) : 0
    const last = flagArgument(showLast4) ? 4 : 0
    const isValid = flagArgument(passes)
    // A single hidden digit could be calculated from the check digit.
    if (number.length < bin + last + 2) throw unsuitable('needs a longer number to reveal this many digits')
    let next = 0
    const drawn = drawDifferent(number, () => drawCard(number, bin, last, isValid, run))
    return text.replace(/\d/g, () => drawn.charAt(next++))
  }),
}

/** Draws all hidden digits, the last one of those with which the number passes the Luhn check, or does not. */
// Requirements: TOK-554
function drawCard(number: string, bin: number, last: number, isValid: boolean, run: Run): string {
  run.meter.elements(number.length)
  const check = number.length - last - 1
  const hidden = new Array<string>(check - bin).fill(digits)
  const head = number.slice(0, bin) + randomCharacters(hidden, run.sources.random)
  const tail = number.slice(check + 1)
  const fitting = Array.from(digits).filter(digit => isLuhnValid(head + digit + tail) === isValid)
  return head + randomCharacters([fitting.join('')], run.sources.random) + tail
}

/**
 * Draws one character from each alphabet (of at most 256), without bias. Bytes beyond the last whole multiple of
 * the alphabet's length are discarded: modulo the length, they would favour the first characters.
 */
export function randomCharacters(
  alphabets: readonly string[],
  random: (bytes: number) => Uint8Array,
): string {
  let bytes = new Uint8Array()
  let used = 0
  const next = (left: number): number => {
    if (used === bytes.length) {
      bytes = new Uint8Array(random(left))
      used = 0
    }
    return bytes[used++] ?? 0
  }
  return alphabets
    .map((alphabet, index) => {
      const { length } = alphabet
      if (isUnchanged(alphabet)) return alphabet
      const usable = 256 - (256 % length)
      for (;;) {
        const byte = next(alphabets.length - index)
        if (byte < usable) return alphabet.charAt(byte % length)
      }
    })
    .join('')
}

/** True if the alphabet is a single character to keep, which may be a surrogate pair. */
function isUnchanged(alphabet: string): boolean {
  return alphabet.length <= 2
}
