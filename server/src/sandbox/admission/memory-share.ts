import type { Invocation } from '../sandbox.ts'

/** The properties of an invocation that decide its share. */
export type Place = Pick<Invocation, 'tenant' | 'lane' | 'depth'>

/**
 * Divides the processes that the memory allows among tenants, lanes and depths. To prevent deadlocks, an invocation
 * starts only if one more at each deeper level could still start. A tenant and async work get at most half, and
 * sync work leaves one.
 */
export class MemoryShare {
  readonly #processes: number
  readonly #depth: number
  readonly #held = new Map<string, number>()

  /** @param processes that may be busy at once; at least `depth` + 2 */
  constructor({ processes, depth }: { readonly processes: number; readonly depth: number }) {
    this.#processes = Math.max(processes, depth + 2)
    this.#depth = depth
  }

  allows({ tenant, lane, depth }: Place): boolean {
    const kept = this.#depth - depth
    const atTop = this.#processes - this.#depth
    const ofTenant = Math.max(this.#depth + 1, Math.floor(this.#processes / 2))
    const ofLane = (lane === 'async' ? Math.floor(atTop / 2) : atTop - 1) + depth
    return (
      this.#count('all') + kept < this.#processes &&
      this.#count(`tenant ${tenant}`) + kept < ofTenant &&
      this.#count(`lane ${lane}`) < ofLane
    )
  }

  take(place: Place): void {
    for (const key of keysOf(place)) this.#held.set(key, this.#count(key) + 1)
  }

  give(place: Place): void {
    for (const key of keysOf(place)) {
      const left = this.#count(key) - 1
      if (left > 0) this.#held.set(key, left)
      else this.#held.delete(key)
    }
  }

  #count(key: string): number {
    return this.#held.get(key) ?? 0
  }
}

function keysOf({ tenant, lane }: Place): readonly string[] {
  return ['all', `tenant ${tenant}`, `lane ${lane}`]
}
