import { auditEntry } from '../audit/entries.ts'
import type { Write } from '../storage/port.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import { type Actor, tokenAction } from './audited.ts'
import type { TokensContext } from './context.ts'
import { removeCvc } from './cvc.ts'
import type { TokenRecord } from './token.ts'

/** Everything that goes when a token goes, and the audit entry that stays. */
// Requirements: SEA-035
export async function erasure(
  context: TokensContext,
  store: TenantStore,
  token: OpenedRecord<TokenRecord>,
  operation: 'token:delete' | 'token:expire',
  actor: Actor,
): Promise<Write[]> {
  const { id, cvc } = token.value
  return [
    store.remove('token', id, token.version),
    ...(await removeCvc(store, cvc)),
    auditEntry(store, context.random, tokenAction(operation, id, actor)),
  ]
}

/**
 * Erases a token whose time is over. False where another writer came between: it is gone already, or it or
 * its code has changed and the next attempt will see how.
 */
export async function eraseExpired(
  context: TokensContext,
  store: TenantStore,
  token: OpenedRecord<TokenRecord>,
): Promise<boolean> {
  const writes = await erasure(context, store, token, 'token:expire', { application: null })
  return (await store.commit(writes, context.nowUs())).ok
}
