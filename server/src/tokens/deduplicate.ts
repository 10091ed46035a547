import { type Caller, decideFor } from '../access/caller.ts'
import { fieldTerm, matchTerm } from '../access/terms.ts'
import type { Token } from '../contract/types.ts'
import type { Digest } from '../storage/port.ts'
import type { OpenedRecord } from '../storage/records/sealed.ts'
import type { TenantTokens } from './context.ts'
import { withCvc } from './cvc.ts'
import { eraseExpired } from './erase.ts'
import { atMostMasked, showToken, withoutContents } from './show.ts'
import { isExpired, LiveToken, type TokenRecord } from './token.ts'

/** Returns the oldest live token with the same fingerprint, if this token asks for deduplication. */
// Requirements: TOK-501, TOK-509, TOK-543
export async function originalOf(
  context: TenantTokens,
  { deduplicate_token, fingerprint }: TokenRecord,
): Promise<OpenedRecord<TokenRecord> | undefined> {
  if (!deduplicate_token || !fingerprint) return undefined
  const { records } = await context.store.find<TokenRecord>(
    'token',
    matchTerm(fieldTerm(context.store, 'fingerprint', fingerprint)),
    {
      nowMs: context.nowUs() / 1000,
      offset: 0,
      limit: 1,
      oldestFirst: true,
    },
  )
  return records[0]
}

/** Shows the token that the caller's would have duplicated. */
export async function showOriginal(
  context: TenantTokens,
  caller: Caller,
  original: OpenedRecord<TokenRecord>,
): Promise<Token> {
  const [live] = await withCvc(context.store, [original], context.nowUs())
  return showDuplicated(context, caller, live ?? new LiveToken(original))
}

/** Like `showOriginal`, for a token that was already read. */
// Requirements: TOK-035
export function showDuplicated(context: TenantTokens, caller: Caller, token: LiveToken): Token {
  const decision = decideFor(caller, 'token:read', token.record.value)
  if (decision.allowed) return showToken(context, token, atMostMasked(decision.transform))
  return withoutContents(showToken(context, token, 'redact'))
}

/** Erases the holder of a unique value if it has expired and no sweep has erased it yet. Returns false if it is alive. */
export async function evictExpiredHolder(context: TenantTokens, holder: Digest): Promise<boolean> {
  const record = await context.store.at<TokenRecord>('token', holder)
  if (record && !isExpired(record.value, context.nowUs())) return false
  if (record) await eraseExpired(context, record)
  return true
}
