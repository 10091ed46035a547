import type { FieldErrors } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { TokensContext } from './context.ts'

type MaskContext = Pick<TokensContext, 'expressions' | 'notes'>

/** Evaluates the mask. A member that fails or is null is left out: no read fails because of a mask. */
// Requirements: ACC-508, TOK-051
export function showMask(
  context: MaskContext,
  token: string,
  mask: JsonValue | undefined,
  data: JsonValue,
): JsonValue | undefined {
  return mask === undefined
    ? undefined
    : context.expressions.evaluateTree(mask, { data }, noterOf(context, token))
}

/**
 * Evaluates a mask before it is stored. Returns the data under the mask, and the errors of all expressions that do not
 * parse or fail on this data.
 */
export function checkMask(context: MaskContext, token: string, mask: JsonValue | undefined, data: JsonValue) {
  const errors: FieldErrors = {}
  if (mask === undefined) return { masked: undefined, errors }
  const { value, problems } = context.expressions.checkTree(mask, { data }, noterOf(context, token))
  for (const { path, message } of problems) errors[inMask(path)] = [message]
  return { masked: value, errors }
}

/** Returns a function that notes which expressions give nothing, on a development server. */
function noterOf({ notes }: MaskContext, token: string) {
  const current = notes?.current
  return (
    current &&
    ((path: string, reason: string) => current.addMask({ token_id: token, path: inMask(path), reason }))
  )
}

const inMask = (path: string) => (path === '' ? 'mask' : `mask.${path}`)
