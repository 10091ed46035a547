import { LRUCache } from 'lru-cache'
import { lruOptions } from '../base/cache.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'

interface Kept<T> {
  readonly item: T
  readonly bytes: number
  isTaken: boolean
}

interface Waiter<T> {
  matches(item: T): boolean
  resolve(item: T | undefined): void
}

/** Keeps the latest items of a tenant, up to a number and a size, and lets tests wait for the next one. */
export class BoundedLog<T> {
  readonly #most: number
  readonly #mostBytes: number
  readonly #waiters = new Set<Waiter<T>>()
  #kept: Kept<T>[] = []
  #bytes = 0
  #added = 0
  #lastDropped: T | undefined

  constructor(most: number, mostBytes: number) {
    this.#most = most
    this.#mostBytes = mostBytes
  }

  /** Adds an item, and drops the oldest ones if there are too many. */
  add(item: T, bytes: number): void {
    this.#added++
    this.#kept.push({ item, bytes, isTaken: false })
    this.#bytes += bytes
    while (this.#kept.length > this.#most || this.#bytes > this.#mostBytes) {
      const dropped = this.#kept.shift()
      this.#bytes -= dropped?.bytes ?? this.#bytes
      this.#lastDropped = dropped?.item
    }
    this.serve()
  }

  /** Number of items that were added, also of those that are no longer there. */
  get added(): number {
    return this.#added
  }

  /** The latest item that was dropped to make room since the log was emptied. */
  get lastDropped(): T | undefined {
    return this.#lastDropped
  }

  /** Removes all items, and ends all waits. */
  empty(): void {
    this.#kept = []
    this.#bytes = 0
    this.#lastDropped = undefined
    this.close()
  }

  /** Returns the items that match, oldest first. */
  list(matches: (item: T) => boolean): T[] {
    return this.#kept.filter(({ item }) => matches(item)).map(({ item }) => item)
  }

  /**
   * Resolves with the oldest item that matches and was not returned before, or waits for one. Resolves with `undefined`
   * after so many real milliseconds, or when whoever waits is gone: it must not take what others wait for.
   * @param onDisconnect calls a function when whoever waits is gone
   */
  next(
    matches: (item: T) => boolean,
    timeoutMs: number,
    onDisconnect?: (listener: () => void) => void,
  ): Promise<T | undefined> {
    return new Promise(resolve => {
      const alarm = setTimeout(() => waiter.resolve(undefined), timeoutMs)
      const waiter: Waiter<T> = {
        matches,
        resolve: item => {
          clearTimeout(alarm)
          this.#waiters.delete(waiter)
          resolve(item)
        },
      }
      this.#waiters.add(waiter)
      onDisconnect?.(() => waiter.resolve(undefined))
      this.serve()
    })
  }

  /** Gives the items to those who wait for them. Called after an item has changed, too. */
  serve(): void {
    for (const waiter of this.#waiters) {
      const found = this.#kept.find(one => !one.isTaken && waiter.matches(one.item))
      if (!found) continue
      found.isTaken = true
      waiter.resolve(found.item)
    }
  }

  /** Ends all waits. */
  close(): void {
    for (const waiter of this.#waiters) waiter.resolve(undefined)
  }
}

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

  /** Empties the log of a tenant, and ends its waits. */
  empty(tenant: string): void {
    this.#logs.get(tenant)?.empty()
  }

  /** Drops all logs, and ends all waits. */
  clear(): void {
    this.#logs.clear()
  }
}
