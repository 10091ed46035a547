import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * How far tests have moved single tenants ahead of the vault's clock. While a request, a job or an erasure of such a
 * tenant is worked on, its time counts. Nothing is tracked until the first tenant is moved.
 */
export class TenantTime {
  readonly #offsets = new Map<string, number>()
  #current: AsyncLocalStorage<string | undefined> | undefined

  constructor(offsets: Readonly<Record<string, number>> = {}) {
    for (const [tenant, ms] of Object.entries(offsets)) this.setOffset(tenant, ms)
  }

  /** Returns how far a tenant is ahead, in milliseconds; by default the tenant that is worked on. */
  offsetMs(tenant = this.#current?.getStore()): number {
    return tenant === undefined ? 0 : (this.#offsets.get(tenant) ?? 0)
  }

  /** Returns how far the furthest tenant is ahead. */
  furthestMs(): number {
    return Math.max(0, ...this.#offsets.values())
  }

  offsets(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#offsets)
  }

  setOffset(tenant: string, ms: number): void {
    this.#current ??= new AsyncLocalStorage()
    if (ms === 0) this.#offsets.delete(tenant)
    else this.#offsets.set(tenant, ms)
  }

  /** Puts all tenants back to the vault's time. */
  clear(): void {
    this.#offsets.clear()
  }

  /** Runs a task in the time of a tenant; in that of the vault for `undefined`. */
  run<T>(tenant: string | undefined, task: () => T): T {
    return this.#current ? this.#current.run(tenant, task) : task()
  }

  /** Ends the tracking, which slows down every promise of the process. */
  close(): void {
    this.#current?.disable()
  }
}
