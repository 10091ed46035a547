import { ErrorList } from '../../base/error-list.ts'
import { invalid } from '../../base/errors.ts'
import { type JsonValue, mapLeaves } from '../../base/json/json.ts'
import { errorPath } from '../../base/json/member-path.ts'
import type { Expressions } from '../../expressions/engine.ts'
import { limits } from '../../generated/facts.ts'
import { pathOf, problemOf, templateOf, valueKey } from './find-references.ts'
import type { Piece, Reference } from './references.ts'

type Steps = Parameters<typeof pathOf>[1]

/**
 * Replaces each of `texts` in a JSON value by the value of its pieces. All filters share one time limit.
 * @param values of the tokens, by `valueKey`
 * @throws {ServiceError} validation, for filters that fail, or an outcome that is too large
 */
// Requirements: INV-503, INV-504
export function fillReferences(
  expressions: Expressions,
  json: JsonValue,
  texts: ReadonlyMap<string, readonly Piece[]>,
  values: ReadonlyMap<string, JsonValue>,
  root: string,
): JsonValue {
  const evaluate = expressions.withSharedLimits([...values.values()].map(data => ({ data })))
  const errors = new ErrorList()
  let left = limits.detokenizedBytes - jsonBytes(json)

  const take = (bytes: number) => {
    left -= bytes
    if (left < 0) throw invalid(errorPath(root), `comes to more than ${limits.detokenizedBytes} bytes`)
  }
  const resolve = (reference: Reference, path: Steps): JsonValue => {
    const keys = reference.ids.map((id = '') => valueKey(id, reference.whole))
    const data = values.get(keys.find(key => values.has(key)) ?? '') ?? null
    if (reference.filters === '') return data
    try {
      return evaluate(templateOf(reference), { data })
    } catch (error) {
      errors.add(pathOf(root, path), problemOf(error))
      if (errors.isFull) errors.refuseIfAny(filtersFailed)
      return null
    }
  }
  const join = (pieces: readonly Piece[], path: Steps): string => {
    let text = ''
    for (const piece of pieces) {
      text += typeof piece === 'string' ? piece : asText(resolve(piece, path))
      // Checked on the way, so that no text becomes longer than the limit. In bytes it is at least as long.
      if (text.length > limits.detokenizedBytes) take(text.length)
    }
    return text
  }
  const filled = mapLeaves(json, (value, path) => {
    const pieces = typeof value === 'string' ? texts.get(value) : undefined
    if (!pieces) return value
    const [only] = pieces
    const whole = pieces.length === 1 && only !== undefined && typeof only !== 'string'
    const filled = whole ? resolve(only, path) : join(pieces, path)
    take(jsonBytes(filled) - jsonBytes(value))
    return filled
  })
  errors.refuseIfAny(filtersFailed)
  return filled ?? null
}

const filtersFailed = 'a filter cannot be applied'

/** Formats a value inside longer text: null is empty, objects and arrays are compact JSON. */
function asText(value: JsonValue): string {
  if (typeof value === 'string') return value
  return value === null ? '' : JSON.stringify(value)
}

function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value))
}
