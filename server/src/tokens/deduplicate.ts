import { type Caller, decideFor } from '../access/caller.ts'
import { fingerprintTerm, matchTerm } from '../access/terms.ts'
import type { Token } from '../contract/types.ts'
import type { Digest } from '../storage/port.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import type { TokensContext } from './context.ts'
import { withCvc } from './cvc.ts'
import { eraseExpired } from './erase.ts'
import { atMostMasked, showToken, withoutContents } from './show.ts'
import { isExpired, LiveToken, type TokenRecord } from './token.ts'

/** Returns the oldest live token with the same fingerprint, if this token asks for deduplication. */
// Requirements: TOK-501, TOK-509
export async function originalOf(
  context: TokensContext,
  store: TenantStore,
  { deduplicate_token, fingerprint }: TokenRecord,
): Promise<OpenedRecord<TokenRecord> | undefined> {
  if (!deduplicate_token || !fingerprint) return undefined
  const { records } = await store.find<TokenRecord>('token', matchTerm(fingerprintTerm(store, fingerprint)), {
    nowMs: context.nowUs() / 1000,
    offset: 0,
    limit: 1,
    oldestFirst: true,
  })
  return records[0]
}

/** Shows the token that the caller's would have duplicated. */
export async function showOriginal(
  context: TokensContext,
  store: TenantStore,
  caller: Caller,
  original: OpenedRecord<TokenRecord>,
): Promise<Token> {
  const [live] = await withCvc(store, [original], context.nowUs())
  return showDuplicated(context, store, caller, live ?? new LiveToken(original))
}

/** Like `showOriginal`, for a token that was already read. */
// Requirements: TOK-035
export function showDuplicated(
  context: TokensContext,
  store: TenantStore,
  caller: Caller,
  token: LiveToken,
): Token {
  const decision = decideFor(caller, 'token:read', token.record.value)
  if (decision.allowed) return showToken(context, store.tenant, token, atMostMasked(decision.transform))
  return withoutContents(showToken(context, store.tenant, token, 'redact'))
}

/** Erases the holder of a unique value if it has expired and no sweep has erased it yet. Returns false if it is alive. */
export async function evictExpiredHolder(
  context: TokensContext,
  store: TenantStore,
  holder: Digest,
): Promise<boolean> {
  const record = await store.at<TokenRecord>('token', holder)
  if (record && !isExpired(record.value, context.nowUs())) return false
  if (record) await eraseExpired(context, store, record)
  return true
}
