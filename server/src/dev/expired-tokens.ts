import { LRUCache } from 'lru-cache'
import { lruOptions } from '../base/cache.ts'
import { comparableId } from '../base/comparable-id.ts'
import type { ExpiredTokens } from '../tokens/tokens-context.ts'

/** As the contract says. */
const mostKept = 10_000

/** When tokens that are erased had expired: the latest of all tenants. */
export class RecentlyExpired implements ExpiredTokens {
  readonly #expiredMs = new LRUCache<string, number>(lruOptions(mostKept))

  note(tenant: string, id: string, expiredMs: number): void {
    this.#expiredMs.set(keyOf(tenant, id), expiredMs)
  }

  forget(tenant: string, id: string): void {
    this.#expiredMs.delete(keyOf(tenant, id))
  }

  at(tenant: string, id: string): number | undefined {
    return this.#expiredMs.get(keyOf(tenant, id))
  }

  clear(): void {
    this.#expiredMs.clear()
  }
}

const keyOf = (tenant: string, id: string) => `${tenant} ${comparableId(id)}`
