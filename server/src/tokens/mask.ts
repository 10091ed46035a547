import type { FieldErrors } from '../base/errors.ts'
import type { JsonValue } from '../base/json.ts'
import type { Expressions } from '../expressions/engine.ts'

/** Evaluates the mask. A member that fails or is null is left out: no read fails because of a mask. */
// Requirements: ACC-508, TOK-051
export function showMask(
  expressions: Expressions,
  mask: JsonValue | undefined,
  data: JsonValue,
): JsonValue | undefined {
  return mask === undefined ? undefined : expressions.evaluateTree(mask, { data })
}

/**
 * Evaluates a mask before it is stored. Returns the data under the mask, and the errors of all expressions that do not
 * parse or fail on this data.
 */
export function checkMask(expressions: Expressions, mask: JsonValue | undefined, data: JsonValue) {
  const errors: FieldErrors = {}
  if (mask === undefined) return { masked: undefined, errors }
  const { value, problems } = expressions.checkTree(mask, { data })
  for (const { path, message } of problems) {
    errors[path === '' ? 'mask' : `mask.${path}`] = [message]
  }
  return { masked: value, errors }
}
