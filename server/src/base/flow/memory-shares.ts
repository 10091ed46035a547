import { ServiceError } from '../errors.ts'

/** The first bytes of a body that do not count: as many as a connection may hold anyway. */
const freeBytes = 64 * 1024

/** Bytes of requests and responses in memory. A tenant can take a half of what all others leave. */
export class MemoryShares {
  readonly #limitBytes: number
  #usedBytes = 0
  /** Of tenants with counted bytes: few, as small bodies do not count. */
  readonly #used = new Map<string, number>()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Counts further bytes for a tenant, or returns the error to refuse them with. */
  take(tenant: string, bytes: number): ServiceError | undefined {
    const before = this.#used.get(tenant) ?? 0
    if (before + bytes > (this.#limitBytes - (this.#usedBytes - before)) / 2)
      return new ServiceError(
        'unavailable',
        'there are too many large requests and responses at once; try again in a while',
        { headers: { 'Retry-After': '1' } },
      )
    this.#used.set(tenant, before + bytes)
    this.#usedBytes += bytes
    return undefined
  }

  release(tenant: string, bytes: number): void {
    const used = (this.#used.get(tenant) ?? 0) - bytes
    if (used > 0) this.#used.set(tenant, used)
    else this.#used.delete(tenant)
    this.#usedBytes -= bytes
  }
}

/** Returns how many more bytes count when a body grows from one length to another. */
export const countedGrowth = (from: number, to: number): number =>
  Math.max(to - freeBytes, 0) - Math.max(from - freeBytes, 0)
