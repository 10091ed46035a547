/** A pseudo-random generator seeded by a text, so that every run of a seed makes the same choices. */
export class Dice {
  #a: number
  #b: number
  #c: number
  #count = 1

  constructor(seed: string) {
    this.#a = hash(seed, 0x9e3779b9)
    this.#b = hash(seed, 0x85ebca6b)
    this.#c = hash(seed, 0xc2b2ae35)
    for (let round = 0; round < 12; round++) this.next()
  }

  /** Returns a number from 0 up to, but not including, 1 (the generator is sfc32). */
  next(): number {
    const sum = (this.#a + this.#b + this.#count++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }

  /** Returns a whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('the list is empty')
    return list[this.int(0, list.length - 1)] as T
  }

  /** Picks a value from `[weight, value]` pairs with a probability proportional to its weight. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T {
    const total = list.reduce((sum, [weight]) => sum + weight, 0)
    let left = this.next() * total
    for (const [weight, value] of list) {
      left -= weight
      if (left < 0) return value
    }
    return this.pick(list)[1]
  }

  /** Calls `make` between `least` and `most` times and returns the results. */
  list<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.int(least, most) }, (_, index) => make(index))
  }

  text(alphabet: string, least: number, most: number): string {
    return this.list(least, most, () => alphabet[this.int(0, alphabet.length - 1)]).join('')
  }

  uuid(): string {
    const hex = this.text('0123456789abcdef', 30, 30)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${this.pick(['8', '9', 'a', 'b'])}${hex.slice(15, 18)}-${hex.slice(18, 30)}`
  }
}

/** FNV-1a with a final mix. */
function hash(text: string, start: number): number {
  let value = start
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  return value ^ (value >>> 15)
}
