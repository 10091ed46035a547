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

/** What is wrong with a mask for this data: expressions that do not parse, or fail on it. */
export function checkMask(
  expressions: Expressions,
  mask: JsonValue | undefined,
  data: JsonValue,
): FieldErrors {
  if (mask === undefined) return {}
  const errors: FieldErrors = {}
  for (const { path, message } of expressions.checkTree(mask, { data })) {
    errors[path === '' ? 'mask' : `mask.${path}`] = [message]
  }
  return errors
}
