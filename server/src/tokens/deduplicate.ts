import { decideFor } from '../access/caller.ts'
import type { Token } from '../contract/types.ts'
import { duplicateTerm, identityOf } from '../search/terms.ts'
import { visibleTo } from '../search/visibility.ts'
import { matchAll, matchTerm, type Write } from '../storage/port/port.ts'
import type { OpenedRecord, RecordValue } from '../storage/records/records.ts'
import { atMostMasked, showToken, withoutContents } from './show.ts'
import { isExpired, LiveToken, type TokenRecord, withCvc } from './token.ts'
import type { TenantTokens } from './token-parts.ts'

/** The right by which a request meets originals: the one that it needs on the containers of its own token. */
type DuplicateRight = 'token:create' | 'token:update'

export interface Deduplication {
  /** The token to show instead, if there is one. */
  readonly original?: OpenedRecord<TokenRecord>
  /** Writes that fail if another token was deduplicated under the same identity since originals were looked for. */
  readonly claims: readonly Write[]
}

const nothing: Deduplication = { claims: [] }

/** Claims are compared by requests in progress only. None of them takes nearly as long. */
const claimMs = 3_600_000

/**
 * Finds the oldest token that this one would duplicate: live, with the same fingerprint made by the same expression, where
 * the caller has the right. With a literal expression anybody can make any fingerprint.
 *
 * Callers with different rights may each store a token of one identity, so no unique value can keep the others out. Instead
 * each stores its token together with a new version of a claim, which all of the identity share: of two that were made from
 * the same version one fails, and looks for originals again.
 */
// Requirements: TOK-501, TOK-502, TOK-509, TOK-543, TOK-548, TOK-549
export async function deduplicate(
  tokens: TenantTokens,
  right: DuplicateRight,
  record: TokenRecord,
): Promise<Deduplication> {
  const identity = record.deduplicate_token ? identityOf(record) : undefined
  if (identity === undefined) return nothing
  const { store } = tokens
  // A digest, as expressions may be long.
  const value = { id: store.publicDigest('deduplication', identity) }
  // Before the search, so that a token stored after the search changes it.
  const claim = await store.get<RecordValue>('deduplication', value.id)
  const nowUs = tokens.nowUs()
  const query = matchAll([visibleTo(store, tokens.caller, right), matchTerm(duplicateTerm(store, identity))])
  const page = { nowMs: nowUs / 1000, offset: 0, limit: 1, oldestFirst: true }
  const [original] = (await store.find<TokenRecord>('token', query, page)).records
  // The index is not authenticated. Only the record itself decides.
  const isOriginal =
    original &&
    identityOf(original.value) === identity &&
    !isExpired(original.value, nowUs) &&
    decideFor(tokens.caller, right, original.value).allowed
  if (isOriginal) return { original, claims: [] }
  const index = { dueMs: Math.floor(nowUs / 1000) + claimMs }
  return {
    claims: [
      claim
        ? store.replace('deduplication', claim, value, index)
        : store.insert('deduplication', value, index),
    ],
  }
}

/** Shows the token that the caller's would have duplicated. */
export async function showOriginal(
  tokens: TenantTokens,
  original: OpenedRecord<TokenRecord>,
): Promise<Token> {
  const [live] = await withCvc(tokens.store, [original], tokens.nowUs())
  return showDuplicated(tokens, live ?? new LiveToken(original))
}

/** Like `showOriginal`, for a token that was already read. */
// Requirements: TOK-035
export function showDuplicated(tokens: TenantTokens, token: LiveToken): Token {
  const decision = decideFor(tokens.caller, 'token:read', token.record.value)
  if (decision.allowed) return showToken(tokens, token, atMostMasked(decision.transform))
  return withoutContents(showToken(tokens, token, 'redact'))
}
