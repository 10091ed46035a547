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

export interface CheckedMask {
  /** The data under the mask. */
  readonly masked: JsonValue | undefined
  /** The errors of expressions that do not parse or fail on this data. */
  readonly errors: FieldErrors
}

/** Evaluates a mask before it is stored, and reports every expression that fails. */
export function checkMask(
  expressions: Expressions,
  mask: JsonValue | undefined,
  data: JsonValue,
): CheckedMask {
  if (mask === undefined) return { masked: undefined, errors: {} }
  const { value, problems } = expressions.checkTree(mask, { data })
  const errors: FieldErrors = {}
  for (const { path, message } of problems) {
    errors[path === '' ? 'mask' : `mask.${path}`] = [message]
  }
  return { masked: value, errors }
}
