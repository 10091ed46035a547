import { type Caller, demand } from '../access/caller.ts'
import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json.ts'
import { formatMicros } from '../base/time.ts'
import type { Conflict, Write } from '../storage/port.ts'
import type { TenantStore } from '../storage/sealed.ts'
import { tokenAction } from './audited.ts'
import { refuseRivalReceipt } from './companion.ts'
import { registerContainerSet } from './container-sets.ts'
import { derive, indexOf } from './contents.ts'
import { type TokensContext, tenantStore } from './context.ts'
import { cvcLifetimeMs, insertCvc, splitCvc } from './cvc.ts'
import { evictExpiredHolder, findOriginal, showOriginal } from './deduplicate.ts'
import { readExpiration } from './expiry.ts'
import { chooseId, isTakenIdFinal } from './id.ts'
import { atMostMasked, showToken, type Token } from './show.ts'
import type { TokenRecord } from './token.ts'
import { tokenType } from './types/registry.ts'

/** A create request whose shape and data the contract has accepted. `null` means absent. */
export interface CreateTokenInput {
  readonly id?: string | null
  readonly type: string
  readonly data: JsonValue
  readonly mask?: JsonValue
  readonly containers?: readonly string[] | null
  readonly metadata?: Readonly<Record<string, string>> | null
  readonly search_indexes?: readonly string[] | null
  readonly fingerprint_expression?: string | null
  readonly deduplicate_token?: boolean | null
  readonly expires_at?: string | null
}

export interface CreatedToken {
  readonly token: Token
  /** False where deduplication answered a token that was there before. */
  readonly created: boolean
}

/** Writes that belong into the commit of a new token: it is shown as it will be, but for the time. */
export type CreateCompanion = (token: Omit<Token, 'created_at'>) => readonly Write[]

export async function createToken(
  context: TokensContext,
  caller: Caller,
  input: CreateTokenInput,
  companion: CreateCompanion = () => [],
): Promise<CreatedToken> {
  const store = await tenantStore(context, caller)
  for (let attempt = 0; ; attempt++) {
    const draft = draftToken(context, store, caller, input, attempt)
    const transform = demand(caller, 'token:create', draft.record)
    if (draft.record.deduplicate_token && draft.record.fingerprint) {
      const original = await findOriginal(store, draft.record.fingerprint, context.nowUs())
      if (original) return { token: await showOriginal(context, store, caller, original), created: false }
    }
    await registerContainerSet(store, draft.record.containers, context.nowUs())
    const record = { value: draft.record, version: 1, createdUs: 0 }
    const shown = showToken(context, store.tenant, { record, data: input.data }, atMostMasked(transform))
    const { created_at: _unknown, ...token } = shown
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

interface Draft {
  readonly record: TokenRecord
  readonly cvc: string | undefined
}

/** The token as it would be stored. @throws {ServiceError} validation */
export function draftToken(
  context: TokensContext,
  store: TenantStore,
  caller: Caller,
  input: CreateTokenInput,
  attempt = 0,
): Draft {
  const type = tokenType(input.type)
  if (!type) throw new Error('the contract accepted a token type that is not registered')
  const nowUs = context.nowUs()
  const expiration =
    typeof input.expires_at === 'string' ? readExpiration(input.expires_at, nowUs) : undefined
  const { data, cvc } = splitCvc(input.type, input.data)
  const mask = input.mask ?? type.mask
  const indexes = input.search_indexes ?? (input.search_indexes === null ? undefined : type.searchIndexes)
  const base = {
    type: input.type,
    ...(mask === undefined ? {} : { mask }),
    ...(input.metadata ? { metadata: input.metadata } : {}),
    ...(indexes && indexes.length > 0 ? { search_indexes: indexes } : {}),
    fingerprint_expression: input.fingerprint_expression ?? type.fingerprintExpression,
  }
  const record: TokenRecord = {
    id: chooseId(context, input.id ?? undefined, input.data, attempt),
    ...base,
    data,
    containers: input.containers ?? [type.container],
    ...derive(context, store, base, input.data),
    ...(input.deduplicate_token ? { deduplicate_token: true } : {}),
    ...(expiration ? { expires_at: expiration.echo, expires_ms: expiration.ms } : {}),
    ...(cvc === undefined
      ? {}
      : { cvc: { id: context.random.uuid(), until_ms: Math.floor(nowUs / 1000) + cvcLifetimeMs } }),
    created_by: caller.application,
  }
  return { record, cvc }
}

export function draftWrites(
  context: TokensContext,
  store: TenantStore,
  caller: Caller,
  { record, cvc }: Draft,
): Write[] {
  const writes = [store.insert('token', record, indexOf(store, record))]
  if (record.cvc && cvc !== undefined) writes.push(insertCvc(store, record.cvc, cvc))
  writes.push(auditEntry(store, context.random, tokenAction('token:create', record.id, caller)))
  return writes
}

/** Returns where another attempt may succeed. @throws {ServiceError} conflict, where the id is taken */
async function resolveConflict(
  context: TokensContext,
  store: TenantStore,
  input: CreateTokenInput,
  record: TokenRecord,
  conflict: Conflict,
): Promise<void> {
  if (conflict.reason === 'exists') {
    if (await evictExpiredHolder(context, store, store.address('token', record.id))) return
    if (isTakenIdFinal(context, input.id ?? undefined)) {
      throw new ServiceError('conflict', 'a token with this id is there already', {
        errors: { id: ['is taken by another token'] },
      })
    }
  }
  // The holder of the unique value is over, or it is the original that the next attempt will find.
  if (conflict.holder) await evictExpiredHolder(context, store, conflict.holder)
}
