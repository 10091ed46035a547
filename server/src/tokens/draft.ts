import type { Caller } from '../access/caller.ts'
import { auditEntry } from '../audit/entries.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { Mutable } from '../base/mutable.ts'
import { readExpiration } from '../base/time/expiration.ts'
import type { CreateTokenRequest } from '../contract/types.ts'
import { limits, tokenTypes } from '../generated/facts.ts'
import type { Write, Written } from '../storage/port/port.ts'
import { OpenedRecord } from '../storage/records/sealed.ts'
import { tokenAction } from './audited.ts'
import { derive, indexOf } from './contents.ts'
import type { TenantTokens } from './context.ts'
import { insertCvc, splitCvc } from './cvc.ts'
import { chooseId } from './id.ts'
import { LiveToken, type TokenRecord } from './token.ts'

/** A token that is not stored yet. */
export interface Draft {
  readonly record: TokenRecord
  /** True if the id was drawn at random for it. */
  readonly fresh: boolean
  /** As sent, including a card's code. */
  readonly data: JsonValue
  /** The data under the mask. */
  readonly masked: JsonValue | undefined
  readonly cvc: string | undefined
}

/** Makes a token without storing it. @throws {ServiceError} validation */
// Requirements: TOK-045, WIR-504
export async function draftToken(
  context: TenantTokens,
  caller: Caller,
  input: CreateTokenRequest,
  attempt = 0,
): Promise<Draft> {
  const type = tokenTypes[input.type]
  const nowUs = context.nowUs()
  const expiration =
    typeof input.expires_at === 'string' ? readExpiration(input.expires_at, nowUs) : undefined
  const { data, cvc } = splitCvc(input.type, input.data)
  const { id, fresh } = chooseId(context, input, attempt)
  const mask = input.mask ?? type.mask ?? undefined
  // Requirements: TOK-521, SEA-542
  const indexes = input.search_indexes ?? type.searchIndexes
  // Assigned one by one, as every create makes one and spreading the optional members takes several times as long.
  const record: Mutable<TokenRecord> = {
    id,
    type: input.type,
    fingerprint_expression: input.fingerprint_expression ?? type.fingerprintExpression,
    data,
    containers: input.containers ?? type.containers,
    // Requirements: TOK-043, APP-540
    created_by: caller.application,
  }
  if (mask !== undefined) record.mask = mask
  if (input.metadata) record.metadata = input.metadata
  if (indexes.length > 0) record.search_indexes = indexes
  const { derived, masked } = await derive(context, record, input.data)
  if (derived.fingerprint !== undefined) record.fingerprint = derived.fingerprint
  if (derived.patterns !== undefined) record.patterns = derived.patterns
  if (input.deduplicate_token) record.deduplicate_token = true
  if (input.one_way) record.one_way = true
  if (expiration) {
    record.expires_at = expiration.echo
    record.expires_ms = expiration.ms
  }
  if (cvc !== undefined) {
    record.cvc = { id: context.random.uuid(), until_ms: Math.floor(nowUs / 1000) + limits.cvcLifetime }
  }
  return { record, fresh, data: input.data, masked, cvc }
}

export interface DraftWrites {
  readonly token: Write
  /** Those of the token, its code, and the audit entry. */
  readonly all: readonly Write[]
}

export function draftWrites(
  context: TenantTokens,
  caller: Caller,
  { record, fresh, cvc }: Draft,
): DraftWrites {
  const token = context.store.insert('token', record, indexOf(context.store, record), fresh)
  const all = [token]
  if (record.cvc && cvc !== undefined) all.push(insertCvc(context.store, record.cvc, cvc))
  all.push(auditEntry(context.store, context.random, tokenAction('token:create', record.id, caller)))
  return { token, all }
}

/** Returns the token that the commit has made of a draft. */
export function asLive({ record, data, masked }: Draft, written: Written): LiveToken {
  return new LiveToken(new OpenedRecord(record, written), data, masked)
}
