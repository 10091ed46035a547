import type { Remote } from '../natives.child.ts'
import { type Pair, Pairs, pairsOf } from './headers.child.ts'
import { natives } from './host.child.ts'

/** Returns the parameters of a URL: changing them changes the URL. */
let parametersOf: (query: Remote) => URLSearchParams

export class URLSearchParams extends Pairs {
  #query: Remote | undefined

  constructor(init: unknown = '') {
    super()
    const isObject = typeof init === 'object' && init !== null
    this.#query = natives.query(isObject ? pairsOf(init) : `${init}`)
  }

  #call(name: string, values: readonly unknown[]): unknown {
    const result = this.#query?.call(
      name,
      values.map(value => (value === undefined ? value : `${value}`)),
    )
    if (!result) throw new TypeError(`${name}: an argument is missing or not valid`)
    return result[0]
  }

  get size(): number {
    return Number(this.#query?.get('size'))
  }

  *entries(): Generator<Pair> {
    yield* this.#call('entries', []) as Pair[]
  }

  static {
    parametersOf = query => {
      const parameters = new URLSearchParams()
      parameters.#query = query
      return parameters
    }
    for (const name of ['append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'toString']) {
      const call = function (this: URLSearchParams, ...values: unknown[]) {
        return this.#call(name, values)
      }
      Object.defineProperty(URLSearchParams.prototype, name, { value: call })
    }
  }
}

const changeable = [
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
]

export class URL {
  declare readonly href: string
  declare readonly origin: string
  declare readonly pathname: string
  declare readonly search: string
  readonly #url: Remote
  #parameters: URLSearchParams | undefined

  constructor(input: unknown, base?: unknown) {
    const url = natives.url(`${input}`, base === undefined ? undefined : `${base}`)
    if (!url) throw new TypeError('Invalid URL')
    this.#url = url
  }

  static canParse(input: unknown, base?: unknown): boolean {
    return natives.url(`${input}`, base === undefined ? undefined : `${base}`) !== undefined
  }

  get searchParams(): URLSearchParams {
    this.#parameters ??= parametersOf(this.#url.member('searchParams'))
    return this.#parameters
  }

  toString(): string {
    return this.href
  }

  toJSON(): string {
    return this.href
  }

  static {
    const define = (name: string, isReadOnly: boolean) => {
      const get = function (this: URL) {
        return this.#url.get(name)
      }
      const set = function (this: URL, value: unknown) {
        if (!this.#url.set(name, `${value}`)) throw new TypeError('Invalid URL')
      }
      Object.defineProperty(URL.prototype, name, isReadOnly ? { get } : { get, set })
    }
    for (const name of ['href', ...changeable]) define(name, false)
    define('origin', true)
  }
}
