import type { JsonValue } from '../base/json/json.ts'
import { Plaintext } from '../base/secret.ts'
import type { TokenType } from '../contract/types.ts'
import type { OpenedRecord, RecordValue } from '../storage/records/sealed.ts'

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
  /** Set when the token is made, and kept: its data is never shown. */
  readonly one_way?: true
  readonly expires_at?: string
  readonly expires_ms?: number
  readonly cvc?: CvcReference
  readonly created_by: string
  readonly modified_by?: string
}

export interface CvcReference {
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
