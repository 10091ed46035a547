import { type Caller, demand } from '../access/caller.ts'
import type { CreateTokenRequest, Token } from '../contract/types.ts'
import type { Conflict } from '../storage/port.ts'
import { type Receipt, transact } from '../storage/transact.ts'
import { type TenantTokens, type TokensContext, tokensOf } from './context.ts'
import { evictExpiredHolder, originalOf, showOriginal } from './deduplicate.ts'
import { asLive, draftToken, draftWrites } from './draft.ts'
import { isTakenIdFinal, takenIds } from './id.ts'
import { type KeptTokens, keptToken, singleToken } from './payloads/kept-tokens.ts'
import { atMostMasked, showToken } from './show.ts'
import type { TokenRecord } from './token.ts'

export interface CreatedToken {
  readonly token: Token
  /** False if deduplication found a token that was there before. */
  readonly created: boolean
}

export async function createToken(
  context: TokensContext,
  caller: Caller,
  input: CreateTokenRequest,
  receipt?: Receipt<{ readonly details: KeptTokens }>,
): Promise<CreatedToken> {
  const tokens = await tokensOf(context, caller)
  return transact<CreatedToken, { readonly details: KeptTokens }>(
    tokens,
    async attempt => {
      const draft = await draftToken(tokens, caller, input, attempt)
      const { record } = draft
      // Requirements: ACC-507
      const transform = demand(caller, 'token:create', record)
      const original = record.deduplicate_token ? await originalOf(tokens, record) : undefined
      if (original) {
        return {
          writes: [],
          kept: { details: singleToken(keptToken(draft, original.value.id)) },
          result: async () => ({
            token: await showOriginal(tokens, caller, original),
            created: false,
          }),
        }
      }
      const writes = draftWrites(tokens, caller, draft)
      return {
        writes: writes.all,
        kept: { details: singleToken(keptToken(draft)) },
        result: written => {
          const live = asLive(draft, written(writes.token))
          return { token: showToken(tokens, live, atMostMasked(transform)), created: true }
        },
        onConflict: conflict => resolveConflict(tokens, input, record, conflict),
      }
    },
    receipt,
  )
}

/** Returns if another attempt may succeed. @throws {ServiceError} conflict, if the id is taken */
// Requirements: TOK-503
async function resolveConflict(
  context: TenantTokens,
  input: CreateTokenRequest,
  record: TokenRecord,
  conflict: Conflict,
): Promise<void> {
  if (conflict.reason === 'exists') {
    if (await evictExpiredHolder(context, context.store.address('token', record.id))) return
    if (isTakenIdFinal(context, input.id ?? undefined)) throw takenIds(['id'])
  }
  // The holder of the unique value has expired, or is the original that the next attempt will find.
  if (conflict.holder) await evictExpiredHolder(context, conflict.holder)
}
