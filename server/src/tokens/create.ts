import { type Caller, demand } from '../access/caller.ts'
import type { Conflict, Write, Written } from '../storage/port.ts'
import { refuseRivalReceipt } from '../storage/records/companion.ts'
import type { TenantStore } from '../storage/records/sealed.ts'
import { type TokensContext, tenantStore } from './context.ts'
import { evictExpiredHolder, findOriginal, showOriginal } from './deduplicate.ts'
import { asLive, type CreateTokenInput, draftToken, draftWrites } from './draft.ts'
import { isTakenIdFinal, takenIds } from './id.ts'
import type { KeptToken } from './kept-tokens.ts'
import { atMostMasked, showToken, type Token } from './show.ts'
import type { TokenRecord } from './token.ts'

export interface CreatedToken {
  readonly token: Token
  /** False where deduplication answered a token that was there before. */
  readonly created: boolean
  /** What a receipt keeps of it. */
  readonly kept: KeptToken
}

/** @param companion writes that belong into the commit of a new token */
export async function createToken(
  context: TokensContext,
  caller: Caller,
  input: CreateTokenInput,
  companion: (kept: KeptToken) => readonly Write[] = () => [],
): Promise<CreatedToken> {
  const store = await tenantStore(context, caller)
  for (let attempt = 0; ; attempt++) {
    const draft = await draftToken(context, store, caller, input, attempt)
    // Requirements: ACC-507
    const transform = demand(caller, 'token:create', draft.record)
    const { id, containers } = draft.record
    if (draft.record.deduplicate_token && draft.record.fingerprint) {
      const original = await findOriginal(store, draft.record.fingerprint, context.nowUs())
      if (original) {
        const kept = { id: original.value.id, as: 'original', wanted: { id, containers } } as const
        return { token: await showOriginal(context, store, caller, original), created: false, kept }
      }
    }
    const kept = { id, as: 'created' } as const
    const writes = draftWrites(context, store, caller, draft)
    const result = await store.commit([...writes, ...companion(kept)], context.nowUs())
    if (result.ok) {
      const live = asLive(draft, result.written[0] as Written)
      const token = showToken(context, store.tenant, live, atMostMasked(transform))
      return { token, created: true, kept }
    }
    refuseRivalReceipt(result.conflict, writes)
    await resolveConflict(context, store, input, draft.record, result.conflict)
  }
}

/** Returns where another attempt may succeed. @throws {ServiceError} conflict, where the id is taken */
// Requirements: TOK-503
async function resolveConflict(
  context: TokensContext,
  store: TenantStore,
  input: CreateTokenInput,
  record: TokenRecord,
  conflict: Conflict,
): Promise<void> {
  if (conflict.reason === 'exists') {
    if (await evictExpiredHolder(context, store, store.address('token', record.id))) return
    if (isTakenIdFinal(context, input.id ?? undefined)) throw takenIds(['id'])
  }
  // The holder of the unique value is over, or it is the original that the next attempt will find.
  if (conflict.holder) await evictExpiredHolder(context, store, conflict.holder)
}
