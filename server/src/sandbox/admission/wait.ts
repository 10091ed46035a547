import { clearTimeout, monotonicMs, setTimeout } from '../../base/time/real-time.ts'

/** The time limit of a `Wait` has passed. */
export class TooLate extends Error {}

/** One time limit for all that an invocation waits for. */
export class Wait {
  readonly #over: Promise<never>
  readonly #cancel: () => void
  /** Called when the limit has passed. */
  onTimeout = () => {}
  isOver = false

  constructor(time: Monotonic, ms: number) {
    let cancel = () => {}
    this.#over = new Promise((_, reject) => {
      cancel = time.after(ms, () => {
        this.isOver = true
        this.onTimeout()
        reject(new TooLate())
      })
    })
    this.#over.catch(() => {})
    this.#cancel = cancel
  }

  /** @throws {TooLate} and any error of the work */
  for<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over])
  }

  end(): void {
    this.#cancel()
  }
}

/** A monotonic clock with timers. Tests replace it by one that they advance. */
export interface Monotonic {
  nowMs(): number
  /** Calls `task` once after `ms`. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
}

export const monotonic: Monotonic = {
  nowMs: monotonicMs,
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}
