import { requirePermission } from '../access/caller.ts'
import { ServiceError } from '../base/errors.ts'
import type { Token } from '../contract/types.ts'
import type { OpenedRecord } from '../storage/records/records.ts'
import { showToken } from './show.ts'
import { isExpired, LiveToken, type TokenRecord, withCvc } from './token.ts'
import { type AbsentTokens, type TenantTokens, tokenAction } from './token-parts.ts'

// Requirements: TOK-025
export async function readToken(tokens: TenantTokens, id: string): Promise<Token> {
  const record = await liveRecord(tokens, id)
  const transform = requirePermission(tokens.caller, 'token:read', record.value)
  const token = await liveToken(tokens, record)
  if (transform === 'reveal')
    await tokens.parts.audit.record(
      tokens.caller.tenant,
      tokenAction('token:read', record.value.id, tokens.caller),
    )
  return showToken(tokens, token, transform)
}

/** Returns the token with this id unless it has expired. @throws {ServiceError} not_found */
// Requirements: ERR-512
export async function liveRecord(tokens: TenantTokens, id: string): Promise<OpenedRecord<TokenRecord>> {
  const { store } = tokens
  const record = await store.get<TokenRecord>('token', id)
  const nowUs = tokens.nowUs()
  if (!record || isExpired(record.value, nowUs)) {
    throw new ServiceError('not_found', 'there is no token with this id', {
      cause: { absent: [{ id, expiredMs: record?.value.expires_ms }] } satisfies AbsentTokens,
    })
  }
  return record
}

/** Returns a promise only for a card whose code has to be read too. */
export function liveToken(
  tokens: TenantTokens,
  record: OpenedRecord<TokenRecord>,
): LiveToken | Promise<LiveToken> {
  if (!record.value.cvc) return new LiveToken(record)
  return withCvc(tokens.store, [record], tokens.nowUs()).then(([token]) => token ?? new LiveToken(record))
}
