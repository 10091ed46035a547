import type { JsonValue } from '../../base/json/json.ts'
import type { Run } from '../run.ts'
import { sliceCharacters, toCharacters } from '../text.ts'
import {
  characterArgument,
  countArgument,
  type FilterFamily,
  flagArgument,
  ofScalar,
  unsuitable,
} from './filter.ts'

/**
 * Replaces each character by the mask character `fill`, except revealed and preserved ones. Characters to reveal
 * are counted over the whole text (`card_mask` does not count preserved ones). Two rules keep a mask from
 * revealing the whole text:
 * - if the text is not longer than the part to reveal, only preserved characters remain;
 * - if the result equals the text (all of it preserved, or mask characters already), every character is replaced.
 */
function mask(
  characters: readonly string[],
  revealed: (index: number) => boolean,
  fill: string,
  preserve: string,
): string {
  let masked = ''
  let hidden = false
  for (const [index, character] of characters.entries()) {
    const shown = revealed(index) || preserve.includes(character) ? character : fill
    hidden ||= shown !== character
    masked += shown
  }
  return hidden ? masked : fill.repeat(characters.length)
}

function reveal(text: string, first: number, last: number, fill: string, preserve: string, run: Run): string {
  const characters = toCharacters(text, run)
  const hideTo = characters.length - last
  const revealed = (index: number) => first < hideTo && (index < first || index >= hideTo)
  return mask(characters, revealed, fill, preserve)
}

/** Returns 6 for numbers shorter than 16 digits, else 8 (ISO/IEC 7812, since 2017). */
export function binLength(digits: number): number {
  return digits < 16 ? 6 : 8
}

export const maskingFilters: FilterFamily = {
  /**
   * Returns the last four characters, or all of a shorter text.
   * @example {{ '36227206271667' | last4 }} → 1667
   */
  last4: ofScalar([0, 0], (text, _, run) => sliceCharacters(text, run, -4)),

  /**
   * Masks all but the last n characters and preserves `-`.
   * @example {{ '123-45-6789' | reveal_last: 4 }} → XXX-XX-6789
   * @example {{ '123' | reveal_last: 4 }} → XXX
   */
  reveal_last: ofScalar([1, 2], (text, [count, fill], run) =>
    reveal(text, 0, countArgument(count), characterArgument(fill, 'X'), '-', run),
  ),

  /**
   * Masks all but the first and last characters, and preserves the characters given as fourth argument.
   * @example {{ '3622-7206-2716-5567' | reveal: 7, 5 }} → 3622-72XXXXXXX-5567
   * @example {{ '3622-7206-2716-5567' | reveal: 7, 4, '#', '-' }} → 3622-72##-####-5567
   */
  reveal: ofScalar([0, 4], (text, [first, last, fill, preserve], run) => {
    const shown = [countArgument(first), countArgument(last)] as const
    return reveal(text, ...shown, characterArgument(fill, 'X'), preserveArgument(preserve), run)
  }),

  /**
   * Masks a card number. The first two arguments, true or false, say if the BIN and the last four digits are
   * revealed. Preserved characters do not count as digits of the BIN or of the last four.
   * @example {{ '3622-7206-2716-5567' | card_mask: true, true, '#', '-' }} → 3622-7206-####-5567
   */
  card_mask: ofScalar([0, 4], (text, [showBin, showLast4, fill, preserveGiven], run) => {
    const preserve = preserveArgument(preserveGiven)
    const characters = toCharacters(text, run)
    const places = characters.flatMap((character, index) => (preserve.includes(character) ? [] : [index]))
    const bin = flagArgument(showBin) ? binLength(places.length) : 0
    const last = flagArgument(showLast4) ? 4 : 0
    const shown =
      places.length > bin + last ? [...places.slice(0, bin), ...places.slice(places.length - last)] : []
    const character = characterArgument(fill, 'X')
    return mask(characters, index => shown.includes(index), character, preserve)
  }),

  /**
   * Returns the BIN of a card number, ignoring the separator if one is given.
   * @example {{ '4242-4242-4242-4242' | card_bin: '-' }} → 42424242
   */
  card_bin: ofScalar([0, 1], (text, [separator], run) => {
    const skip = preserveArgument(separator)
    const characters = toCharacters(text, run).filter(character => !skip.includes(character))
    if (characters.length < shortestCard) {
      throw unsuitable(`takes a card number of at least ${shortestCard} digits`)
    }
    return characters.slice(0, binLength(characters.length)).join('')
  }),
}

/** Shorter text is not a card number, and its BIN would reveal most of it. */
const shortestCard = 12

function preserveArgument(arg: JsonValue | undefined): string {
  if (arg === undefined || arg === null) return ''
  if (typeof arg === 'string' && arg.length <= 100) return arg
  throw unsuitable('takes the characters to preserve as a text of at most 100 characters')
}
