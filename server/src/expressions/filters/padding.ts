import { countCharacters } from '../text.ts'
import { characterArgument, countArgument, type Filter, type FilterFamily, ofScalar } from './filter.ts'

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

export const paddingFilters: FilterFamily = {
  /** @example {{ '1234' | pad_left: 6, '0' }} → 001234 */
  pad_left: padding((text, padding) => padding + text),

  /** @example {{ '1234' | pad_right: 6, '0' }} → 123400 */
  pad_right: padding((text, padding) => text + padding),
}
