import type { Caller } from '../access/caller.ts'
import { Room } from '../access/room.ts'
import type { OpenedRecord, Records, TenantRecords } from '../storage/records/records.ts'
import { eraseExpired } from './erase.ts'
import type { TokenRecord } from './token.ts'
import { TenantTokens, type TokenParts } from './token-parts.ts'

/** The tokens of all tenants. */
export class Tokens extends Room<TokenParts> {
  /** Returns the same room on other records. */
  on(records: Records): Tokens {
    return new Tokens({ ...this.parts, records })
  }

  override of(caller: Caller): TenantTokens {
    return new TenantTokens(this.parts, caller)
  }

  /** Erases an expired token for the system itself. */
  eraseExpired(store: TenantRecords, token: OpenedRecord<TokenRecord>): Promise<boolean> {
    return eraseExpired({ parts: this.parts, store }, token)
  }
}
