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

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Stores names in lower case, and joins values of the same name by commas. */
export class Headers extends Pairs {
  readonly #values = new Map<string, string>()

  constructor(init: unknown = []) {
    super()
    if (init === null || typeof init !== 'object') {
      throw new TypeError('headers must be an object or a list of pairs')
    }
    for (const [name, value] of pairsOf(init)) this.append(name, value)
  }

  append(name: unknown, value: unknown): void {
    const [key, text] = [nameFrom(name), valueFrom(value)]
    const before = this.#values.get(key)
    this.#values.set(key, before === undefined ? text : `${before}, ${text}`)
  }

  set(name: unknown, value: unknown): void {
    this.#values.set(nameFrom(name), valueFrom(value))
  }

  get(name: unknown): string | null {
    return this.#values.get(nameFrom(name)) ?? null
  }

  has(name: unknown): boolean {
    return this.#values.has(nameFrom(name))
  }

  delete(name: unknown): void {
    this.#values.delete(nameFrom(name))
  }

  *entries(): Generator<Pair> {
    for (const name of [...this.#values.keys()].sort()) yield [name, this.#values.get(name) ?? '']
  }
}

function nameFrom(name: unknown): string {
  const text = `${name}`
  if (!token.test(text)) throw new TypeError('a header name contains invalid characters')
  return text.toLowerCase()
}

function valueFrom(value: unknown): string {
  const text = `${value}`.trim()
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
    throw new TypeError('a header value contains invalid characters')
  }
  return text
}
