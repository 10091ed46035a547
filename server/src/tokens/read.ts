import { type Caller, demand } from '../access/caller.ts'
import type { DeveloperReason } from '../base/developer-reason.ts'
import { ServiceError } from '../base/errors.ts'
import type { Token } from '../contract/types.ts'
import type { OpenedRecord } from '../storage/records/sealed.ts'
import { showToken } from './show.ts'
import { isExpired, LiveToken, type TokenRecord, withCvc } from './token.ts'
import { type TenantTokens, type TokensContext, tokenAction, tokensOf } from './tokens-context.ts'

// Requirements: TOK-025
export async function readToken(context: TokensContext, caller: Caller, id: string): Promise<Token> {
  const tokens = await tokensOf(context, caller)
  const record = await liveRecord(tokens, id)
  const transform = demand(caller, 'token:read', record.value)
  const token = await liveToken(tokens, record)
  if (transform === 'reveal')
    await tokens.audit.record(caller.tenant, tokenAction('token:read', record.value.id, caller))
  return showToken(tokens, token, transform)
}

/** Returns the token with this id unless it has expired. @throws {ServiceError} not_found */
// Requirements: ERR-512
export async function liveRecord(context: TenantTokens, id: string): Promise<OpenedRecord<TokenRecord>> {
  const { store, expired } = context
  const record = await store.get<TokenRecord>('token', id)
  const nowUs = context.nowUs()
  if (!record || isExpired(record.value, nowUs)) {
    const expiredAt = expiryOf(context, id, record?.value)
    throw new ServiceError(
      'not_found',
      'there is no token with this id',
      expiredAt === undefined
        ? {}
        : { cause: { forDevelopers: `the token expired at ${expiredAt}` } satisfies DeveloperReason },
    )
  }
  expired?.forget(store.tenant, id)
  return record
}

/** Returns when a token expired that is not there any more, as far as that is known. */
export function expiryOf(
  { store, expired, nowUs }: TenantTokens,
  id: string,
  record: TokenRecord | undefined,
): string | undefined {
  const expiredMs = record?.expires_ms ?? expired?.at(store.tenant, id)
  // A snapshot can put a tenant back to a time before.
  if (expiredMs === undefined || expiredMs * 1000 > nowUs()) return undefined
  return new Date(expiredMs).toISOString()
}

/** Returns a promise only for a card whose code has to be read too. */
export function liveToken(
  context: TenantTokens,
  record: OpenedRecord<TokenRecord>,
): LiveToken | Promise<LiveToken> {
  if (!record.value.cvc) return new LiveToken(record)
  return withCvc(context.store, [record], context.nowUs()).then(([token]) => token ?? new LiveToken(record))
}
