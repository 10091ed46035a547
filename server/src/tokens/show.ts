import { decideFor } from '../access/caller.ts'
import { strictest } from '../access/rules.ts'
import type { FieldErrors } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { Mutable } from '../base/mutable.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type { Token, Transform } from '../contract/types.ts'
import { LiveToken } from './token.ts'
import type { TenantTokens } from './token-parts.ts'

/** Evaluates the mask. A member that fails or is null is left out: no read fails because of a mask. */
// Requirements: ACC-508, TOK-051
export function showMask(
  tokens: TenantTokens,
  token: string,
  mask: JsonValue | undefined,
  data: JsonValue,
): JsonValue | undefined {
  return mask === undefined
    ? undefined
    : tokens.parts.expressions.evaluateTree(mask, { data }, noterOf(tokens, token))
}

/**
 * Evaluates a mask before it is stored. Returns the data under the mask, and the errors of all expressions that do not
 * parse or fail on this data.
 */
export function checkMask(tokens: TenantTokens, token: string, mask: JsonValue | undefined, data: JsonValue) {
  const errors: FieldErrors = {}
  if (mask === undefined) return { masked: undefined, errors }
  const { value, problems } = tokens.parts.expressions.checkTree(mask, { data }, noterOf(tokens, token))
  for (const { path, message } of problems) errors[inMask(path)] = [message]
  return { masked: value, errors }
}

/** Returns a function that tells which expressions give nothing, if somebody listens. */
function noterOf({ parts, caller }: TenantTokens, token: string) {
  const { emptyMask } = parts.channels
  if (!emptyMask.isHeard) return undefined
  return (path: string, reason: string) => emptyMask.publish({ caller, token, path: inMask(path), reason })
}

const inMask = (path: string) => (path === '' ? 'mask' : `mask.${path}`)

/** Assigns each member alone, as nearly every request shows a token and spreading the optional ones takes three times as long. */
// Requirements: TOK-001, TOK-007, TOK-008, TOK-041, WIR-541, TOK-053, WIR-543
export function showToken(tokens: TenantTokens, token: LiveToken, transform: Transform): Token {
  const { value, createdUs, modifiedUs } = token.record
  const data = showData(tokens, token, transform)
  const shown: Mutable<Token> = {
    id: value.id,
    tenant_id: tokens.store.tenant,
    type: value.type,
    containers: value.containers,
    fingerprint_expression: value.fingerprint_expression,
    created_by: value.created_by,
    created_at: formatMicros(createdUs),
  }
  if (data !== undefined) shown.data = data
  if (value.mask !== undefined) shown.mask = value.mask
  if (value.fingerprint !== undefined) shown.fingerprint = value.fingerprint
  if (value.metadata !== undefined) shown.metadata = value.metadata
  if (value.search_indexes !== undefined) shown.search_indexes = value.search_indexes
  if (value.expires_at !== undefined) shown.expires_at = value.expires_at
  if (value.modified_by !== undefined) shown.modified_by = value.modified_by
  if (modifiedUs !== undefined) shown.modified_at = formatMicros(modifiedUs)
  return shown
}

/**
 * Shows a token after an update, as a read by the same caller shows it. To a caller who may not read it, the data is shown
 * by the rule for `token:update`, and a mask counts only as it was before the update. Without a mask there is no data.
 *
 * @param transform that of the rule for `token:update`
 */
// Requirements: ACC-521
export function showUpdated(
  tokens: TenantTokens,
  token: LiveToken,
  transform: Transform,
  maskBefore: JsonValue | undefined,
): Token {
  const read = decideFor(tokens.caller, 'token:read', token.record.value)
  if (read.allowed) return showToken(tokens, token, read.transform)
  if (transform !== 'mask') return showToken(tokens, token, transform)
  const masked = showMask(tokens, token.record.value.id, maskBefore, token.data)
  if (masked === undefined) return showToken(tokens, token, 'redact')
  return showToken(tokens, new LiveToken(token.record, token.data, masked), 'mask')
}

/** Limits what the answer to a create shows, whatever the caller's rules say. */
// Requirements: TOK-009, TOK-540
export function atMostMasked(transform: Transform): Transform {
  return strictest(transform, 'mask')
}

/** Removes the contents of a token whose existence the caller has discovered but which it may not read. */
export function withoutContents(token: Token): Token {
  const { data: _d, metadata: _m, fingerprint_expression: _f, search_indexes: _s, mask: _k, ...shown } = token
  return shown
}

// Requirements: TOK-044, AUT-014, ACC-540
function showData(tokens: TenantTokens, token: LiveToken, transform: Transform): JsonValue | undefined {
  switch (transform) {
    case 'reveal':
      return token.data
    case 'mask':
      return token.masked ?? maskOf(tokens, token)
    case 'redact':
      return undefined
  }
}

function maskOf(tokens: TenantTokens, { record, data }: LiveToken): JsonValue | undefined {
  return showMask(tokens, record.value.id, record.value.mask, data)
}
