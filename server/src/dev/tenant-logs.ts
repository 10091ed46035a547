import { LRUCache } from 'lru-cache'
import { lruOptions } from '../base/cache.ts'
import { BoundedLog } from './bounded-log.ts'

/** The logs of the tenants that were used last. */
const mostTenants = 100

/** A bounded log for each tenant, of the tenants that were used last. */
export class TenantLogs<T> {
  readonly #most: number
  readonly #mostBytes: number
  readonly #logs = new LRUCache<string, BoundedLog<T>>({
    ...lruOptions(mostTenants),
    dispose: log => log.close(),
  })

  constructor(most: number, mostBytes: number) {
    this.#most = most
    this.#mostBytes = mostBytes
  }

  of(tenant: string): BoundedLog<T> {
    const found = this.#logs.get(tenant) ?? new BoundedLog<T>(this.#most, this.#mostBytes)
    if (!this.#logs.has(tenant)) this.#logs.set(tenant, found)
    return found
  }

  /** Drops the log of a tenant, and ends its waits. */
  drop(tenant: string): void {
    this.#logs.delete(tenant)
  }

  /** Drops all logs, and ends all waits. */
  clear(): void {
    this.#logs.clear()
  }
}
