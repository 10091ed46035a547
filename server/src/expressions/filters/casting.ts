import { JsonError, type JsonValue, parseJson } from '../../base/json.ts'
import { jsonText } from '../text.ts'
import { type FilterFamily, scalarText, unsuitable } from './filter.ts'

/** Null in gives null out, for each of them. */
export const castingFilters: FilterFamily = {
  /**
   * 'true' and 'false', in any case, as booleans.
   * @example {{ 'True' | to_boolean }} → true
   */
  to_boolean: {
    takes: [0, 0],
    apply: input => {
      if (input === null || typeof input === 'boolean') return input
      const text = typeof input === 'string' && input.length <= 5 ? input.toLowerCase() : ''
      if (text === 'true' || text === 'false') return text === 'true'
      throw unsuitable('to_boolean', "takes a boolean, or 'true' or 'false'")
    },
  },

  /**
   * Text that is wholly a JSON number, as a number.
   * @example {{ '2.5' | to_number }} → 2.5
   */
  to_number: {
    takes: [0, 0],
    apply: input => (input === null || typeof input === 'number' ? input : numberIn(input)),
  },

  /**
   * A number or boolean as JSON spells it.
   * @example {{ 2.5 | to_string }} → 2.5
   */
  to_string: {
    takes: [0, 0],
    apply: input => (input === null ? null : scalarText('to_string', input)),
  },

  /**
   * Compact JSON; text is itself. Members come in the order in which they are stored, so two objects that
   * differ only in that order give two texts.
   * @example {{ data | stringify }} → {"color":"red","price":19.95}
   */
  stringify: {
    takes: [0, 0],
    apply: (input, _, run) => (input === null || typeof input === 'string' ? input : jsonText(input, run)),
  },
}

function numberIn(input: JsonValue): number {
  // parseJson refuses what would come back altered, as in 12345678901234567890.
  if (typeof input === 'string' && input.length <= 400 && /^[-\d]/.test(input) && input.trimEnd() === input) {
    try {
      const number = parseJson(input)
      if (typeof number === 'number') return number
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
    }
  }
  throw unsuitable('to_number', 'takes a number, or text that is wholly a JSON number')
}
