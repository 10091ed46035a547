import { auditEntry } from '../audit/entries.ts'
import type { Write } from '../storage/port.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import { type Actor, tokenAction } from './audited.ts'
import type { TokensContext } from './context.ts'
import { removeCvc } from './cvc.ts'
import type { TokenRecord } from './token.ts'

/** Returns the writes that erase a token and its code, and add an audit entry. */
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

/** Erases an expired token. Returns false if another writer came between: the token is gone or changed. */
export async function eraseExpired(
  context: TokensContext,
  store: TenantStore,
  token: OpenedRecord<TokenRecord>,
): Promise<boolean> {
  const writes = await erasure(context, store, token, 'token:expire', { application: null })
  return (await store.commit(writes, context.nowUs())).ok
}
