import type { Principal } from './principal.ts'
import { RoundRobin } from './round-robin.ts'

/** Semaphore: runs at most `limit` tasks concurrently. Tenants that wait take turns. */
export class Semaphore {
  readonly #limit: number
  #running = 0
  readonly #waiting = new RoundRobin<() => void>()

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<T>(principal: Principal, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running++
    // Who ends hands its slot over.
    else await new Promise<void>(resolve => this.#waiting.add(principal, resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.next()
      if (next) next()
      else this.#running--
    }
  }
}
