import { type Caller, demand } from '../access/caller.ts'
import { formatMicros } from '../base/time.ts'
import type { Conflict, Write } from '../storage/port.ts'
import type { TenantStore } from '../storage/sealed.ts'
import { refuseRivalReceipt } from './companion.ts'
import { registerContainerSet } from './container-sets.ts'
import { type TokensContext, tenantStore } from './context.ts'
import { evictExpiredHolder, findOriginal, showOriginal } from './deduplicate.ts'
import { type CreateTokenInput, draftToken, draftWrites, showDraft } from './draft.ts'
import { isTakenIdFinal, takenIds } from './id.ts'
import { atMostMasked, type Token, type UndatedToken } from './show.ts'
import type { TokenRecord } from './token.ts'

export interface CreatedToken {
  readonly token: Token
  /** False where deduplication answered a token that was there before. */
  readonly created: boolean
}

/** Writes that belong into the commit of a new token: it is shown as it will be, but for the time. */
export type CreateCompanion = (token: UndatedToken) => readonly Write[]

export async function createToken(
  context: TokensContext,
  caller: Caller,
  input: CreateTokenInput,
  companion: CreateCompanion = () => [],
): Promise<CreatedToken> {
  const store = await tenantStore(context, caller)
  for (let attempt = 0; ; attempt++) {
    const draft = await draftToken(context, store, caller, input, attempt)
    // Requirements: ACC-507
    const transform = demand(caller, 'token:create', draft.record)
    if (draft.record.deduplicate_token && draft.record.fingerprint) {
      const original = await findOriginal(store, draft.record.fingerprint, context.nowUs())
      if (original) return { token: await showOriginal(context, store, caller, original), created: false }
    }
    await registerContainerSet(store, draft.record.containers, context.nowUs())
    const token = showDraft(context, store, draft, atMostMasked(transform))
    const writes = draftWrites(context, store, caller, draft)
    const result = await store.commit([...writes, ...companion(token)], context.nowUs())
    if (result.ok) {
      const created_at = formatMicros(result.written[0]?.createdUs ?? 0)
      return { token: { ...token, created_at }, created: true }
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
