import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import { Plaintext } from '../base/secret.ts'
import type { TokenType } from '../contract/types.ts'
import { BrokenRecord } from '../storage/broken-record.ts'
import type { Write } from '../storage/port/port.ts'
import type { OpenedRecord, RecordValue, TenantRecords } from '../storage/records/records.ts'

/** A stored token. A card's `cvc` is not in `data`: it has a record of its own, which expires sooner. */
export interface TokenRecord extends RecordValue {
  readonly id: string
  readonly type: TokenType
  readonly data: JsonValue
  /** Without a mask, a caller who may only see masks sees no data. */
  readonly mask?: JsonValue
  readonly containers: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  readonly search_indexes?: readonly string[]
  /** The evaluated search indexes. */
  readonly patterns?: readonly string[]
  readonly fingerprint_expression: string
  readonly fingerprint?: string
  readonly deduplicate_token?: boolean
  readonly expires_at?: string
  readonly expires_ms?: number
  readonly cvc?: CvcReference
  readonly created_by: string
  readonly modified_by?: string
}

interface CvcReference {
  /** The record that holds it. */
  readonly id: string
  readonly until_ms: number
}

/** A stored token with its complete data. */
export class LiveToken extends Plaintext {
  readonly record: OpenedRecord<TokenRecord>
  /** `record.value.data`, with the `cvc` while it lives. */
  readonly data: JsonValue
  /** The data under the mask, if it was evaluated before. */
  readonly masked: JsonValue | undefined

  constructor(record: OpenedRecord<TokenRecord>, data = record.value.data, masked?: JsonValue) {
    super()
    this.record = record
    this.data = data
    this.masked = masked
  }
}

// Requirements: TOK-040, TOK-508, TOK-047, TOK-547
export function isExpired(token: TokenRecord, nowUs: number): boolean {
  return token.expires_ms !== undefined && token.expires_ms * 1000 <= nowUs
}

interface CvcRecord extends RecordValue {
  readonly cvc: string
}

/** Separates the code from a card's data, so that it can be erased alone. */
export function splitCvc(type: string, data: JsonValue): { data: JsonValue; cvc: string | undefined } {
  if (type !== 'card' || !isJsonObject(data)) return { data, cvc: undefined }
  const { cvc, ...rest } = data
  return { data: rest, cvc: typeof cvc === 'string' ? cvc : undefined }
}

export function insertCvc(store: TenantRecords, reference: CvcReference, cvc: string): Write {
  const record: CvcRecord = { id: reference.id, cvc }
  return store.insert('token-cvc', record, { dueMs: reference.until_ms })
}

/** Returns the writes that erase a code, unless a sweep has done so already. */
export async function removeCvc(store: TenantRecords, reference: CvcReference | undefined): Promise<Write[]> {
  return reference ? store.removal('token-cvc', reference.id) : []
}

// Requirements: DAT-009, LIM-001, TOK-511, DAT-011, DAT-012, DAT-511, DAT-512
export function isCvcLive(token: TokenRecord, nowUs: number): boolean {
  return token.cvc !== undefined && nowUs < token.cvc.until_ms * 1000
}

/** Like `withCvc`, for lists: leaves out tokens whose code cannot be opened, as they cannot be shown completely. */
export async function withReadableCvc(
  store: TenantRecords,
  records: readonly OpenedRecord<TokenRecord>[],
  nowUs: number,
): Promise<LiveToken[]> {
  try {
    return await withCvc(store, records, nowUs)
  } catch (error) {
    if (!(error instanceof BrokenRecord)) throw error
  }
  const each = records.map(record => store.readable(() => withCvc(store, [record], nowUs)))
  return (await Promise.all(each)).flatMap(tokens => tokens ?? [])
}

/** Puts each card's code back into its data while it can be read. @throws {BrokenRecord} */
export async function withCvc(
  store: TenantRecords,
  records: readonly OpenedRecord<TokenRecord>[],
  nowUs: number,
): Promise<LiveToken[]> {
  const ids = records.flatMap(({ value }) => (value.cvc && isCvcLive(value, nowUs) ? [value.cvc.id] : []))
  if (ids.length === 0) return records.map(record => new LiveToken(record))
  const found = await store.getMany<CvcRecord>('token-cvc', ids)
  const codes = new Map(found.flatMap(record => (record ? [[record.value.id, record.value.cvc]] : [])))
  return records.map(record => {
    const { data, cvc: reference } = record.value
    const cvc = reference && codes.get(reference.id)
    return new LiveToken(record, cvc !== undefined && isJsonObject(data) ? { ...data, cvc } : data)
  })
}
