export type Pair = [name: string, value: string]

/** The common part of headers and URL parameters: iteration over names and values. */
export abstract class Pairs {
  abstract entries(): IterableIterator<Pair>

  *keys(): Generator<string> {
    for (const [name] of this.entries()) yield name
  }

  *values(): Generator<string> {
    for (const [, value] of this.entries()) yield value
  }

  forEach(callback: (value: string, name: string, all: this) => void, self?: unknown): void {
    for (const [name, value] of this.entries()) Reflect.apply(callback, self, [value, name, this])
  }

  [Symbol.iterator](): IterableIterator<Pair> {
    return this.entries()
  }
}

/** Returns the pairs of a list or of an object, as text. */
export function pairsOf(init: object): Pair[] {
  const list = Symbol.iterator in init ? [...(init as Iterable<Pair>)] : Object.entries(init)
  return list.map(pair => {
    const [name, value] = [...(pair as Pair)]
    return [`${name}`, `${value}`]
  })
}
