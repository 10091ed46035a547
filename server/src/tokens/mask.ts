import type { FieldErrors } from '../base/errors.ts'
import type { JsonValue } from '../base/json.ts'
import type { Expressions } from '../expressions/engine.ts'

/** The mask over today's data. A member that fails or gives nothing is left out: no read fails through a mask. */
// Requirements: ACC-508
export function showMask(
  expressions: Expressions,
  mask: JsonValue | undefined,
  data: JsonValue,
): JsonValue | undefined {
  return mask === undefined ? undefined : expressions.evaluateTree(mask, { data })
}

export interface CheckedMask {
  /** What the mask gives. */
  readonly masked: JsonValue | undefined
  /** Its expressions that do not parse, or fail on this data. */
  readonly errors: FieldErrors
}

/** A mask on the data it is to stay with. */
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
