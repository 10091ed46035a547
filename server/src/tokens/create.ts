import { requirePermission } from '../access/caller.ts'
import type { CreateTokenRequest, Token } from '../contract/types.ts'
import { type Receipt, transact } from '../storage/port/transact.ts'
import { deduplicate, showOriginal } from './deduplicate.ts'
import { asLive, draftToken, draftWrites, isTakenIdFinal, takenIds } from './draft.ts'
import { eraseExpired } from './erase.ts'
import { type RecordedTokens, recordedToken, singleToken } from './payloads/recorded-tokens.ts'
import { atMostMasked, showToken } from './show.ts'
import { isExpired, type TokenRecord } from './token.ts'
import type { TenantTokens } from './token-parts.ts'

interface CreatedToken {
  readonly token: Token
  /** False if deduplication found a token that was there before. */
  readonly created: boolean
}

export async function createToken(
  tokens: TenantTokens,
  input: CreateTokenRequest,
  receipt?: Receipt<{ readonly details: RecordedTokens }>,
): Promise<CreatedToken> {
  return transact<CreatedToken, { readonly details: RecordedTokens }>(
    tokens.store,
    tokens,
    async attempt => {
      const draft = await draftToken(tokens, input, attempt)
      const { record } = draft
      // Requirements: ACC-507
      const transform = requirePermission(tokens.caller, 'token:create', record)
      const { original, claims } = await deduplicate(tokens, 'token:create', record)
      if (original) {
        return {
          writes: [],
          recorded: { details: singleToken(recordedToken(draft, original.value.id)) },
          result: async () => ({
            token: await showOriginal(tokens, original),
            created: false,
          }),
        }
      }
      const writes = draftWrites(tokens, draft)
      return {
        writes: [...writes.all, ...claims],
        recorded: { details: singleToken(recordedToken(draft)) },
        result: written => {
          const live = asLive(draft, written(writes.token))
          return { token: showToken(tokens, live, atMostMasked(transform)), created: true }
        },
        // Of a claim, nothing: the next attempt looks for originals again.
        onConflict: ({ write }) => (write === 0 ? resolveTakenId(tokens, input, record) : undefined),
      }
    },
    receipt,
  )
}

/** Returns if another attempt may succeed. @throws {ServiceError} conflict, if a live token has the id */
// Requirements: TOK-503
async function resolveTakenId(
  tokens: TenantTokens,
  input: CreateTokenRequest,
  record: TokenRecord,
): Promise<void> {
  const holder = await tokens.store.get<TokenRecord>('token', record.id)
  if (!holder) return
  if (isExpired(holder.value, tokens.nowUs())) await eraseExpired(tokens, holder)
  else if (isTakenIdFinal(tokens, input.id ?? undefined)) throw takenIds(['id'])
}
