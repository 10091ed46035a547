import { requirePermission } from '../access/caller.ts'
import { auditEntry } from '../audit/entries.ts'
import type { Write } from '../storage/port/port.ts'
import { transact } from '../storage/port/transact.ts'
import type { OpenedRecord } from '../storage/records/records.ts'
import { liveRecord } from './read.ts'
import { removeCvc, type TokenRecord } from './token.ts'
import { type Actor, type TenantTokens, tokenAction } from './token-parts.ts'

/** The tokens of a tenant, as the system itself works on them. */
type SystemTokens = Pick<TenantTokens, 'parts' | 'store'>

/** Returns the writes that erase a token and its code, and add an audit entry. */
// Requirements: SEA-035
async function erasure(
  tokens: SystemTokens,
  token: OpenedRecord<TokenRecord>,
  operation: 'token:delete' | 'token:expire',
  actor: Actor,
): Promise<Write[]> {
  const { id, cvc } = token.value
  return [
    tokens.store.remove('token', id, token),
    ...(await removeCvc(tokens.store, cvc)),
    auditEntry(tokens.store, tokens.parts.random, {
      ...tokenAction(operation, id, actor),
      superseded: token,
    }),
  ]
}

/** Erases an expired token. Returns false if another writer came between: the token is gone or changed. */
export async function eraseExpired(tokens: SystemTokens, token: OpenedRecord<TokenRecord>): Promise<boolean> {
  const { store } = tokens
  const writes = await erasure(tokens, token, 'token:expire', { application: null })
  const { ok } = await store.commit(writes, tokens.parts.clock.nowUs())
  const { id, expires_ms: expiredMs } = token.value
  if (ok) tokens.parts.channels.erased.publish({ tenant: store.tenant, id, expiredMs })
  return ok
}

// Requirements: TOK-037, TOK-038, TOK-512, TOK-046, TOK-546
export async function deleteToken(tokens: TenantTokens, id: string): Promise<void> {
  await transact(tokens.store, tokens, async () => {
    const record = await liveRecord(tokens, id)
    requirePermission(tokens.caller, 'token:delete', record.value)
    return {
      writes: await erasure(tokens, record, 'token:delete', tokens.caller),
      result: () =>
        tokens.parts.channels.erased.publish({
          tenant: tokens.caller.tenant,
          id: record.value.id,
          expiredMs: undefined,
        }),
    }
  })
}
