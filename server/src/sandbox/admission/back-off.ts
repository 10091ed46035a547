import { LRUCache } from 'lru-cache'
import { lruOptions } from '../../base/cache.ts'
import type { SandboxLimits } from '../sandbox-limits.ts'
import type { Monotonic } from './wait.ts'

interface Failures {
  readonly level: number
  readonly lastMs: number
  /** `undefined` once the timer has ended the wait, which may be slightly early by the clock. */
  untilMs: number | undefined
  cancel: () => void
}

/**
 * Exponential back-off for each tenant: after its code caused a process to be ended, the tenant waits for its next
 * process. It may use processes that it still has without waiting.
 */
export class BackOff {
  readonly #limits: SandboxLimits['backOff']
  readonly #time: Monotonic
  readonly #failures: LRUCache<string, Failures>
  readonly #onWaitEnd: () => void

  /** @param onWaitEnd called whenever the wait of a tenant has ended */
  constructor(limits: SandboxLimits['backOff'], time: Monotonic, onWaitEnd: () => void) {
    this.#limits = limits
    this.#time = time
    this.#onWaitEnd = onWaitEnd
    this.#failures = new LRUCache({ ...lruOptions(limits.tenants), dispose: ({ cancel }) => cancel() })
  }

  /** Returns the real milliseconds until the tenant may have a new process. */
  waitMs(tenant: string): number {
    const untilMs = this.#failures.get(tenant)?.untilMs
    return untilMs === undefined ? 0 : Math.max(0, untilMs - this.#time.nowMs())
  }

  /** Records that the tenant's code caused a process to be ended. */
  recordFailure(tenant: string): void {
    const before = this.#failures.get(tenant)
    const nowMs = this.#time.nowMs()
    const isQuiet = !before || nowMs - before.lastMs >= this.#limits.forgetMs
    this.#wait(tenant, isQuiet ? 1 : before.level + 1, nowMs)
  }

  /** Records that the tenant got a new process. If it had to wait, it waits as long again for the next one. */
  recordStart(tenant: string): void {
    const failures = this.#failures.get(tenant)
    if (!failures) return
    if (this.#time.nowMs() - failures.lastMs >= this.#limits.forgetMs) this.#failures.delete(tenant)
    else this.#wait(tenant, failures.level, failures.lastMs)
  }

  close(): void {
    this.#failures.clear()
  }

  #wait(tenant: string, level: number, lastMs: number): void {
    const { firstMs, mostMs } = this.#limits
    const waitMs = Math.min(mostMs, firstMs * 2 ** (level - 1))
    // Further levels would not change the wait, and their power of two would overflow.
    const most = Math.ceil(Math.log2(mostMs / firstMs)) + 1
    const failures: Failures = {
      level: Math.min(level, most),
      lastMs,
      untilMs: this.#time.nowMs() + waitMs,
      cancel: () => {},
    }
    failures.cancel = this.#time.after(waitMs, () => {
      failures.untilMs = undefined
      this.#onWaitEnd()
    })
    this.#failures.set(tenant, failures)
  }
}
