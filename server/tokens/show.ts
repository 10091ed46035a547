import { strictest, type Transform } from '../access/transforms.ts'
import type { JsonValue } from '../base/json.ts'
import { formatMicros } from '../base/time.ts'
import type { TokensContext } from './context.ts'
import { showMask } from './mask.ts'
import type { LiveToken } from './token.ts'

/** A token as callers see it; `data` as their transform allows, or absent. */
export interface Token {
  readonly id: string
  readonly tenant_id: string
  readonly type: string
  readonly data?: JsonValue
  readonly mask?: JsonValue
  readonly fingerprint?: string
  readonly containers: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  readonly search_indexes?: readonly string[]
  readonly fingerprint_expression?: string
  readonly expires_at?: string
  readonly created_by: string
  readonly created_at: string
  readonly modified_by?: string
  readonly modified_at?: string
}

// Requirements: TOK-001, TOK-007, TOK-008, TOK-041
export function showToken(
  context: TokensContext,
  tenant: string,
  token: LiveToken,
  transform: Transform,
): Token {
  const { value, createdUs, modifiedUs } = token.record
  const data = showData(context, token, transform)
  return {
    id: value.id,
    tenant_id: tenant,
    type: value.type,
    ...(data === undefined ? {} : { data }),
    ...(value.mask === undefined ? {} : { mask: value.mask }),
    ...(value.fingerprint === undefined ? {} : { fingerprint: value.fingerprint }),
    containers: value.containers,
    ...(value.metadata === undefined ? {} : { metadata: value.metadata }),
    ...(value.search_indexes === undefined ? {} : { search_indexes: value.search_indexes }),
    fingerprint_expression: value.fingerprint_expression,
    ...(value.expires_at === undefined ? {} : { expires_at: value.expires_at }),
    created_by: value.created_by,
    created_at: formatMicros(createdUs),
    ...(value.modified_by === undefined ? {} : { modified_by: value.modified_by }),
    ...(modifiedUs === undefined ? {} : { modified_at: formatMicros(modifiedUs) }),
  }
}

/** What an answer to a create may show at most, whatever the caller's rules say. */
// Requirements: TOK-009
export function atMostMasked(transform: Transform): Transform {
  return strictest(transform, 'mask')
}

/** A token that the caller ran into but may not read: that it is there, and nothing of what it holds. */
export function withoutContent(token: Token): Token {
  const { data: _d, metadata: _m, fingerprint_expression: _f, search_indexes: _s, mask: _k, ...shown } = token
  return shown
}

// Requirements: TOK-044
function showData(context: TokensContext, token: LiveToken, transform: Transform): JsonValue | undefined {
  switch (transform) {
    case 'reveal':
      return token.data
    case 'mask':
      return showMask(context.expressions, token.record.value.mask, token.data)
    case 'redact':
      return undefined
  }
}
