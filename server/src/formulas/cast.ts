import { JsonError, type JsonValue, parseJson } from '../base/json/json.ts'
import type { ValueType } from '../contract/types.ts'

/** A value of the declared type, or a message that says what it must be and does not repeat it. */
type Cast = { readonly value: string | number | boolean } | { readonly problem: string }

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/**
 * Casts a value to a declared type: a text that is a JSON number to a number; the texts `true` and `false`, in any case, to a
 * boolean; numbers and booleans to a text, in JSON. Null is not a value: callers treat it as missing.
 */
// Requirements: INV-013, INV-014, REA-005, REA-501, INV-543
export function cast(value: JsonValue, type: ValueType): Cast {
  if (typeof value === type) return { value: value as string | number | boolean }
  switch (type) {
    case 'number':
      return typeof value === 'string' ? toNumber(value) : { problem: notNumber }
    case 'boolean':
      return typeof value === 'string' ? toBoolean(value) : { problem: notBoolean }
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean'
        ? { value: JSON.stringify(value) }
        : { problem: 'must be a text, or a number or boolean that can become one' }
  }
}

const notNumber = 'must be a number, or a text that is one in JSON'
const notBoolean = 'must be a boolean, or the text true or false'

function toNumber(text: string): Cast {
  if (!jsonNumber.test(text)) return { problem: notNumber }
  try {
    return { value: parseJson(text) as number }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return { problem: 'must be a number that can be stored exactly' }
  }
}

function toBoolean(text: string): Cast {
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? { value: lower === 'true' } : { problem: notBoolean }
}
