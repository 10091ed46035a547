/** A wait is never shorter, so that a server need not be quicker than that. */
const leastMs = 500

/**
 * How long a run waits for what should happen. A server on which something never happens would keep each case waiting: so
 * after the first wait in vain, others take at most twice as long as the longest that was worth it.
 */
export class Patience {
  readonly #mostMs: number
  #longestMs = 0
  #wasInVain = false

  constructor(mostMs: number) {
    this.#mostMs = mostMs
  }

  /** The longest next wait, in milliseconds. */
  get limitMs(): number {
    return this.#wasInVain ? Math.min(this.#mostMs, Math.max(leastMs, 2 * this.#longestMs)) : this.#mostMs
  }

  /** Something happened after `ms`. */
  met(ms: number): void {
    this.#longestMs = Math.max(this.#longestMs, ms)
  }

  inVain(): void {
    this.#wasInVain = true
  }
}
