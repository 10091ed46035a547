import { ServiceError } from '../../base/errors.ts'

/** Counts the bytes of bodies in memory, of all callers together. */
export class MemoryBudget {
  readonly #limitBytes: number
  #usedBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Counts further bytes, or returns the error to refuse them with. */
  take(bytes: number): ServiceError | undefined {
    if (this.#usedBytes + bytes > this.#limitBytes)
      return new ServiceError(
        'unavailable',
        'there are too many large requests at once; try again in a while',
        {
          headers: { 'Retry-After': '1' },
        },
      )
    this.#usedBytes += bytes
    return undefined
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
  }
}
