import { clearTimeout, setTimeout } from '../base/time/real-time.ts'

/** The waits that tests have ordered, by tenant, such as those of slow responses. */
export class Waits {
  readonly #ends = new Map<() => void, string>()
  #isClosed = false

  /**
   * Resolves after so many real milliseconds, when the waits of the tenant are ended, when whoever waits is gone, or when the
   * vault is closed.
   * @param onDisconnect calls a function when whoever waits is gone
   */
  wait(tenant: string, ms: number, onDisconnect?: (listener: () => void) => void): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(alarm)
        this.#ends.delete(end)
        resolve()
      }
      const alarm = setTimeout(end, ms)
      this.#ends.set(end, tenant)
      onDisconnect?.(end)
    })
  }

  end(tenant: string): void {
    for (const [end, of] of this.#ends) if (of === tenant) end()
  }

  endAll(): void {
    for (const end of this.#ends.keys()) end()
  }

  /** Ends all waits, and lets nobody wait any more. */
  close(): void {
    this.#isClosed = true
    this.endAll()
  }
}
