/** A pseudo-random generator seeded by a text, so that every run of a seed makes the same choices (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: string) {
    this.#state = [...seed].reduce((hash, one) => Math.imul(hash ^ one.charCodeAt(0), 0x01000193), 0x9e3779b9)
  }

  /** Returns a number from 0 up to, but not including, 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns a whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.#next() < probability
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('the list is empty')
    return list[this.int(0, list.length - 1)] as T
  }

  /** Picks a value from `[weight, value]` pairs with a probability proportional to its weight. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.#next() * list.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of list) {
      left -= weight
      if (left < 0) return value
    }
    return this.pick(list)[1]
  }
}
