import type { JsonValue } from '../../base/json.ts'
import type { Run } from '../run.ts'
import { countCharacters } from '../text.ts'
import { characterArgument, countArgument, type FilterFamily, scalarText } from './filter.ts'

/** Pads a text to this length. Null stays null, and longer text stays unchanged. */
function pad(
  filter: string,
  input: JsonValue,
  [length, fill]: readonly JsonValue[],
  run: Run,
  join: (text: string, padding: string) => string,
): JsonValue {
  if (input === null) return null
  const text = scalarText(filter, input)
  const missing = countArgument(filter, length, 0) - countCharacters(text, run)
  const character = characterArgument(filter, fill, ' ')
  if (missing <= 0) return text
  run.meter.text(text.length + missing * character.length)
  return join(text, character.repeat(missing))
}

export const paddingFilters: FilterFamily = {
  /** @example {{ '1234' | pad_left: 6, '0' }} → 001234 */
  pad_left: {
    takes: [2, 2],
    apply: (input, args, run) => pad('pad_left', input, args, run, (text, padding) => padding + text),
  },

  /** @example {{ '1234' | pad_right: 6, '0' }} → 123400 */
  pad_right: {
    takes: [2, 2],
    apply: (input, args, run) => pad('pad_right', input, args, run, (text, padding) => text + padding),
  },
}
