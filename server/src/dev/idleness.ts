/** Counts the requests under way, so that a test can wait until there is none. */
export class Idleness {
  #count = 0
  #waiting: (() => void)[] = []

  /** Returns a function to be called when the request is done. */
  begin(): () => void {
    this.#count++
    return () => {
      if (--this.#count > 0) return
      for (const resolve of this.#waiting) resolve()
      this.#waiting = []
    }
  }

  get isIdle(): boolean {
    return this.#count === 0
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise(resolve => this.#waiting.push(resolve))
  }
}
