import { clearTimeout, setTimeout } from '../../base/time/real-time.ts'

/** Counts the requests in flight, so that a vault can finish them before it closes its store, and tests can wait for them. */
export class InFlight {
  #count = 0
  #waiting: (() => void)[] = []
  #alone: Promise<void> | undefined

  /** Does work as a request: after other work that has to be alone, unless it is part of a request. */
  async during<T>(work: () => Promise<T>, isPart = false): Promise<T> {
    while (this.#alone && !isPart) await this.#alone
    this.began()
    try {
      return await work()
    } finally {
      this.ended()
    }
  }

  /** Does work while no request is under way, or after `timeoutMs`. Others wait. */
  async alone(work: () => Promise<void>, timeoutMs: number): Promise<void> {
    while (this.#alone) await this.#alone
    const done = this.idle(timeoutMs).then(work)
    this.#alone = done
      .catch(() => {})
      .then(() => {
        this.#alone = undefined
      })
    await done
  }

  /** Counts a request. */
  began(): void {
    this.#count++
  }

  /** Counts a request as done, whatever its response. */
  ended(): void {
    if (--this.#count > 0) return
    for (const resolve of this.#waiting) resolve()
    this.#waiting = []
  }

  get isIdle(): boolean {
    return this.#count === 0
  }

  /** Resolves when no request is under way, or after `timeoutMs`. */
  async idle(timeoutMs?: number): Promise<void> {
    if (this.isIdle) return
    await new Promise<void>(resolve => {
      const timeout = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs)
      this.#waiting.push(() => {
        clearTimeout(timeout)
        resolve()
      })
    })
  }
}
