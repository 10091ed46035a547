import type { Monotonic } from './monotonic.ts'

/** The wait is over, and what was waited for is not there. */
export class TooLate extends Error {}

/** The time that an invocation may wait, one bound for all that it waits for. */
export class Wait {
  readonly #over: Promise<never>
  readonly #cancel: () => void
  readonly #listeners: (() => void)[] = []
  isOver = false

  constructor(time: Monotonic, ms: number) {
    let cancel = () => {}
    this.#over = new Promise((_, reject) => {
      cancel = time.after(ms, () => {
        this.isOver = true
        for (const listener of this.#listeners) listener()
        reject(new TooLate())
      })
    })
    this.#over.catch(() => {})
    this.#cancel = cancel
  }

  /** @throws {TooLate} and what the work throws */
  for<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over])
  }

  onOver(listener: () => void): void {
    this.#listeners.push(listener)
  }

  end(): void {
    this.#cancel()
  }
}
