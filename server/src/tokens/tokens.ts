import type { Caller } from '../access/caller.ts'
import { StoreEmptied } from '../storage/port/port.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { eraseExpired } from './erase.ts'
import type { TokenRecord } from './token.ts'
import { TenantTokens, type TokenParts } from './token-parts.ts'

/** The tokens of all tenants. Each verb is a function in a file of its own, about `of(caller)`. */
export class Tokens {
  readonly #parts: TokenParts

  constructor(parts: TokenParts) {
    this.#parts = parts
  }

  /** @throws {StoreEmptied} if the tenant of the caller, which was there when its key was read, is gone */
  of(caller: Caller): TenantTokens {
    const store = this.#parts.records.opened(caller.tenant)
    if (store) return new TenantTokens(this.#parts, store, caller)
    throw new StoreEmptied('the tenant was removed during a request')
  }

  /** Erases an expired token for the system itself. */
  eraseExpired(store: TenantRecords, token: OpenedRecord<TokenRecord>): Promise<boolean> {
    return eraseExpired({ parts: this.#parts, store }, token)
  }
}
