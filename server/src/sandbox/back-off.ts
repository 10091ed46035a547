import { LRUCache } from 'lru-cache'
import { upTo } from '../base/cache-size.ts'
import type { Monotonic } from './monotonic.ts'

export interface BackOffLimits {
  /** The wait after a first process; twice as long after each further one. */
  readonly firstMs: number
  readonly mostMs: number
  /** A tenant that has worn out no process for so long starts anew. */
  readonly forgetMs: number
  /** How many tenants are remembered. */
  readonly tenants: number
}

interface Worn {
  readonly level: number
  readonly lastMs: number
  /** `undefined` once the wait is over: by the timer, which may be a little early by the clock. */
  untilMs: number | undefined
  cancel: () => void
}

/**
 * Exponential back-off by tenant: one whose code had a process ended waits before it is given the next. Only new
 * processes wait; a process that the tenant still has is the tenant's to use.
 */
export class BackOff {
  readonly #limits: BackOffLimits
  readonly #time: Monotonic
  readonly #worn: LRUCache<string, Worn>
  readonly #listeners: (() => void)[] = []

  constructor(limits: BackOffLimits, time: Monotonic) {
    this.#limits = limits
    this.#time = time
    this.#worn = new LRUCache({ ...upTo(limits.tenants), dispose: ({ cancel }) => cancel() })
  }

  /** Calls `listener` whenever the wait of a tenant is over. */
  onOver(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Real milliseconds until the tenant may have a new process. */
  waitMs(tenant: string): number {
    const untilMs = this.#worn.get(tenant)?.untilMs
    return untilMs === undefined ? 0 : Math.max(0, untilMs - this.#time.nowMs())
  }

  /** A process was ended for what the tenant's code did. */
  wornOut(tenant: string): void {
    const before = this.#worn.get(tenant)
    const nowMs = this.#time.nowMs()
    const isQuiet = !before || nowMs - before.lastMs >= this.#limits.forgetMs
    this.#wait(tenant, isQuiet ? 1 : before.level + 1, nowMs)
  }

  /** The tenant has been given a new process: if it has to wait at all, then as long again before the next. */
  given(tenant: string): void {
    const worn = this.#worn.get(tenant)
    if (!worn) return
    if (this.#time.nowMs() - worn.lastMs >= this.#limits.forgetMs) this.#worn.delete(tenant)
    else this.#wait(tenant, worn.level, worn.lastMs)
  }

  close(): void {
    this.#worn.clear()
  }

  #wait(tenant: string, level: number, lastMs: number): void {
    const { firstMs, mostMs } = this.#limits
    const waitMs = Math.min(mostMs, firstMs * 2 ** (level - 1))
    // Further levels would change nothing, and the power is to stay a number.
    const most = Math.ceil(Math.log2(mostMs / firstMs)) + 1
    const worn: Worn = {
      level: Math.min(level, most),
      lastMs,
      untilMs: this.#time.nowMs() + waitMs,
      cancel: () => {},
    }
    worn.cancel = this.#time.after(waitMs, () => {
      worn.untilMs = undefined
      for (const listener of this.#listeners) listener()
    })
    this.#worn.set(tenant, worn)
  }
}
