import { type Caller, demand } from '../access/caller.ts'
import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { Write } from '../storage/port/port.ts'
import { type Receipt, transact } from '../storage/port/transact.ts'
import type { OpenedRecord } from '../storage/records/sealed.ts'
import { readTokens } from './payloads/detokenize.ts'
import { liveRecord } from './read.ts'
import { isExpired, removeCvc, type TokenRecord } from './token.ts'
import { type Actor, type TenantTokens, type TokensContext, tokenAction, tokensOf } from './tokens-context.ts'

/** Returns the writes that erase a token and its code, and add an audit entry. */
// Requirements: SEA-035
async function erasure(
  context: TenantTokens,
  token: OpenedRecord<TokenRecord>,
  operation: 'token:delete' | 'token:expire',
  actor: Actor,
): Promise<Write[]> {
  const { id, cvc } = token.value
  return [
    context.store.remove('token', id, token),
    ...(await removeCvc(context.store, cvc)),
    auditEntry(context.store, context.random, { ...tokenAction(operation, id, actor), superseded: token }),
  ]
}

/** Erases an expired token. Returns false if another writer came between: the token is gone or changed. */
export async function eraseExpired(
  context: TenantTokens,
  token: OpenedRecord<TokenRecord>,
): Promise<boolean> {
  const { store, expired } = context
  const writes = await erasure(context, token, 'token:expire', { application: null })
  const { ok } = await store.commit(writes, context.nowUs())
  const { id, expires_ms: expiredMs } = token.value
  if (ok && expiredMs !== undefined) expired?.note(store.tenant, id, expiredMs)
  return ok
}

// Requirements: TOK-037, TOK-038, TOK-512, TOK-046, TOK-546
export async function deleteToken(context: TokensContext, caller: Caller, id: string): Promise<void> {
  const tokens = await tokensOf(context, caller)
  await transact(tokens, async () => {
    const record = await liveRecord(tokens, id)
    demand(caller, 'token:delete', record.value)
    return { writes: await erasure(tokens, record, 'token:delete', caller), result: () => {} }
  })
}

/**
 * Deletes all tokens with these ids, or none.
 * @throws {ServiceError} not_found naming every id without a token, permission_denied
 */
// Requirements: TOK-559
export async function deleteTokens(
  context: TokensContext,
  caller: Caller,
  ids: readonly string[],
  receipt?: Receipt,
): Promise<void> {
  const tokens = await tokensOf(context, caller)
  await transact(
    tokens,
    async () => {
      const nowUs = tokens.nowUs()
      const found = await readTokens(tokens.store, ids, 'ids')
      const records = found.flatMap(record => (record && !isExpired(record.value, nowUs) ? [record] : []))
      const known = new Set(records.map(({ value }) => value.id))
      const missing = ids.filter(id => !known.has(id))
      if (missing.length > 0) {
        throw new ServiceError('not_found', `there are no tokens with these ids: ${missing.join(', ')}`)
      }
      for (const { value } of records) demand(caller, 'token:delete', value)
      const writes = await Promise.all(records.map(record => erasure(tokens, record, 'token:delete', caller)))
      return { writes: writes.flat(), kept: {}, result: () => {} }
    },
    receipt,
  )
}
