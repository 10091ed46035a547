import type { JsonValue } from '../../base/json.ts'
import type { Run } from '../run.ts'
import { sliceCharacters, toCharacters } from '../text.ts'
import {
  characterArgument,
  countArgument,
  type FilterFamily,
  flagArgument,
  scalarText,
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

/** Passes the text of the input to `apply`; null stays null, so that the member is left out. */
function masking(
  name: string,
  apply: (text: string, args: readonly JsonValue[], run: Run) => JsonValue,
): FilterFamily[string]['apply'] {
  return (input, args, run) => (input === null ? null : apply(scalarText(name, input), args, run))
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
  last4: {
    takes: [0, 0],
    apply: masking('last4', (text, _, run) => sliceCharacters(text, run, -4)),
  },

  /**
   * Masks all but the last n characters and preserves `-`.
   * @example {{ '123-45-6789' | reveal_last: 4 }} → XXX-XX-6789
   * @example {{ '123' | reveal_last: 4 }} → XXX
   */
  reveal_last: {
    takes: [1, 2],
    apply: masking('reveal_last', (text, [count, fill], run) =>
      reveal(
        text,
        0,
        countArgument('reveal_last', count, 0),
        characterArgument('reveal_last', fill, 'X'),
        '-',
        run,
      ),
    ),
  },

  /**
   * Masks all but the first and last characters, and preserves the characters given as fourth argument.
   * @example {{ '3622-7206-2716-5567' | reveal: 7, 5 }} → 3622-72XXXXXXX-5567
   * @example {{ '3622-7206-2716-5567' | reveal: 7, 4, '#', '-' }} → 3622-72##-####-5567
   */
  reveal: {
    takes: [0, 4],
    apply: masking('reveal', (text, [first, last, fill, preserve], run) =>
      reveal(
        text,
        countArgument('reveal', first, 0),
        countArgument('reveal', last, 0),
        characterArgument('reveal', fill, 'X'),
        preserveArgument('reveal', preserve),
        run,
      ),
    ),
  },

  /**
   * Masks a card number. The first two arguments, true or false, say if the BIN and the last four digits are
   * revealed. Preserved characters do not count as digits of the BIN or of the last four.
   * @example {{ '3622-7206-2716-5567' | card_mask: true, true, '#', '-' }} → 3622-7206-####-5567
   */
  card_mask: {
    takes: [0, 4],
    apply: masking('card_mask', (text, [showBin, showLast4, fill, preserveGiven], run) => {
      const preserve = preserveArgument('card_mask', preserveGiven)
      const characters = toCharacters(text, run)
      const places = characters.flatMap((character, index) => (preserve.includes(character) ? [] : [index]))
      const bin = flagArgument('card_mask', showBin) ? binLength(places.length) : 0
      const last = flagArgument('card_mask', showLast4) ? 4 : 0
      const shown =
        places.length > bin + last ? [...places.slice(0, bin), ...places.slice(places.length - last)] : []
      const revealed = new Set(shown)
      const character = characterArgument('card_mask', fill, 'X')
      return mask(characters, index => revealed.has(index), character, preserve)
    }),
  },

  /**
   * Returns the BIN of a card number, ignoring the separator if one is given.
   * @example {{ '4242-4242-4242-4242' | card_bin: '-' }} → 42424242
   */
  card_bin: {
    takes: [0, 1],
    apply: masking('card_bin', (text, [separator], run) => {
      const skip = preserveArgument('card_bin', separator)
      const characters = toCharacters(text, run).filter(character => !skip.includes(character))
      if (characters.length < shortestCard) {
        throw unsuitable('card_bin', `takes a card number of at least ${shortestCard} digits`)
      }
      return characters.slice(0, binLength(characters.length)).join('')
    }),
  },
}

/** Shorter text is not a card number, and its BIN would reveal most of it. */
const shortestCard = 12

function preserveArgument(filter: string, arg: JsonValue | undefined): string {
  if (arg === undefined || arg === null) return ''
  if (typeof arg === 'string' && arg.length <= 100) return arg
  throw unsuitable(filter, 'takes the characters to preserve as a text of at most 100 characters')
}
