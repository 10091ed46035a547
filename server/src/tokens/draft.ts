import type { Caller } from '../access/caller.ts'
import { auditEntry } from '../audit/entries.ts'
import { readExpiration } from '../base/expiration.ts'
import type { JsonValue } from '../base/json.ts'
import type { Write, Written } from '../storage/port.ts'
import { OpenedRecord, type TenantStore } from '../storage/records/sealed.ts'
import { tokenAction } from './audited.ts'
import { derive, indexOf } from './contents.ts'
import type { TokensContext } from './context.ts'
import { cvcLifetimeMs, insertCvc, splitCvc } from './cvc.ts'
import { chooseId } from './id.ts'
import { LiveToken, type TokenRecord } from './token.ts'
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

/** A token that is not stored yet. */
export interface Draft {
  readonly record: TokenRecord
  /** Whether the id was drawn at random for it. */
  readonly fresh: boolean
  /** The data whole, as it was sent. */
  readonly data: JsonValue
  /** What the mask gives on it. */
  readonly masked: JsonValue | undefined
  readonly cvc: string | undefined
}

/** The token as it would be stored. @throws {ServiceError} validation */
// Requirements: TOK-045, WIR-504
export async function draftToken(
  context: TokensContext,
  store: TenantStore,
  caller: Caller,
  input: CreateTokenInput,
  attempt = 0,
): Promise<Draft> {
  const type = tokenType(input.type)
  if (!type) throw new Error('the contract accepted a token type that is not registered')
  const nowUs = context.nowUs()
  const expiration =
    typeof input.expires_at === 'string' ? readExpiration(input.expires_at, nowUs) : undefined
  const { data, cvc } = splitCvc(input.type, input.data)
  const { id, fresh } = chooseId(context, input, attempt)
  const mask = input.mask ?? type.mask
  // Requirements: TOK-521
  const indexes = input.search_indexes ?? type.searchIndexes
  const base = {
    type: input.type,
    ...(mask === undefined ? {} : { mask }),
    ...(input.metadata ? { metadata: input.metadata } : {}),
    ...(indexes && indexes.length > 0 ? { search_indexes: indexes } : {}),
    fingerprint_expression: input.fingerprint_expression ?? type.fingerprintExpression,
  }
  const { derived, masked } = await derive(context, store, base, input.data)
  const record: TokenRecord = {
    id,
    ...base,
    data,
    containers: input.containers ?? [type.container],
    ...derived,
    ...(input.deduplicate_token ? { deduplicate_token: true } : {}),
    ...(expiration ? { expires_at: expiration.echo, expires_ms: expiration.ms } : {}),
    ...(cvc === undefined
      ? {}
      : { cvc: { id: context.random.uuid(), until_ms: Math.floor(nowUs / 1000) + cvcLifetimeMs } }),
    // Requirements: TOK-043
    created_by: caller.application,
  }
  return { record, fresh, data: input.data, masked, cvc }
}

export interface DraftWrites {
  readonly token: Write
  /** That of the token, of its code, and of the audit entry. */
  readonly all: readonly Write[]
}

export function draftWrites(
  context: TokensContext,
  store: TenantStore,
  caller: Caller,
  { record, fresh, cvc }: Draft,
): DraftWrites {
  const token = store.insert('token', record, indexOf(store, record), fresh)
  const all = [token]
  if (record.cvc && cvc !== undefined) all.push(insertCvc(store, record.cvc, cvc))
  all.push(auditEntry(store, context.random, tokenAction('token:create', record.id, caller)))
  return { token, all }
}

/** The draft as the token that the commit has made of it. */
export function asLive({ record, data, masked }: Draft, written: Written): LiveToken {
  return new LiveToken(new OpenedRecord(record, written), data, masked)
}
