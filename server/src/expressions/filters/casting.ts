import { JsonError, type JsonValue, parseJson } from '../../base/json/json.ts'
import { jsonText } from '../text.ts'
import { type FilterFamily, ofScalar, unsuitable } from './filter.ts'

/** Each of these filters returns null for null. */
export const castingFilters: FilterFamily = {
  /**
   * Converts 'true' and 'false', in any case, to a boolean.
   * @example {{ 'True' | to_boolean }} → true
   */
  to_boolean: {
    takes: [0, 0],
    apply: input => {
      if (input === null || typeof input === 'boolean') return input
      const text = typeof input === 'string' && input.length <= 5 ? input.toLowerCase() : ''
      if (text === 'true' || text === 'false') return text === 'true'
      throw unsuitable("takes a boolean, or 'true' or 'false'")
    },
  },

  /**
   * Converts text that is exactly one JSON number to a number.
   * @example {{ '2.5' | to_number }} → 2.5
   */
  to_number: {
    takes: [0, 0],
    apply: input => (input === null || typeof input === 'number' ? input : numberIn(input)),
  },

  /**
   * Converts a number or boolean to its JSON text.
   * @example {{ 2.5 | to_string }} → 2.5
   */
  to_string: ofScalar([0, 0], text => text),

  /**
   * Returns compact JSON, or text unchanged. Members come in the order in which they are stored, so two objects
   * that differ only in that order give different texts.
   * @example {{ data | stringify }} → {"color":"red","price":19.95}
   */
  stringify: {
    takes: [0, 0],
    apply: (input, _, run) => (input === null || typeof input === 'string' ? input : jsonText(input, run)),
  },
}

function numberIn(input: JsonValue): number {
  // parseJson refuses numbers that a double cannot represent exactly, such as 12345678901234567890.
  if (typeof input === 'string' && input.length <= 400 && /^[-\d]/.test(input) && input.trimEnd() === input) {
    try {
      const number = parseJson(input)
      if (typeof number === 'number') return number
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
    }
  }
  throw unsuitable('takes a number, or text that is exactly one JSON number')
}
