import type { UrlParts } from '../natives.child.ts'
import { natives } from './host.child.ts'

type Pair = [string, string]

export class URLSearchParams {
  #pairs: Pair[]
  #changed: ((query: string) => void) | undefined

  constructor(init: unknown = '') {
    this.#pairs = pairsFrom(init)
  }

  /** Returns the parameters of a URL; `changed` is called with each new query. */
  static of(query: string, changed: (query: string) => void): URLSearchParams {
    const parameters = new URLSearchParams(query)
    parameters.#changed = changed
    return parameters
  }

  /** Replaces the parameters by those of a URL's new query, without calling `changed`. */
  static renew(parameters: URLSearchParams, query: string): void {
    parameters.#pairs = pairsFrom(query)
  }

  #set(pairs: Pair[]): void {
    this.#pairs = pairs
    this.#changed?.(this.toString())
  }

  get size(): number {
    return this.#pairs.length
  }

  append(name: unknown, value: unknown): void {
    this.#set([...this.#pairs, [`${name}`, `${value}`]])
  }

  delete(name: unknown, value?: unknown): void {
    this.#set(
      this.#pairs.filter(([key, has]) => key !== `${name}` || (value !== undefined && has !== `${value}`)),
    )
  }

  get(name: unknown): string | null {
    return this.#pairs.find(([key]) => key === `${name}`)?.[1] ?? null
  }

  getAll(name: unknown): string[] {
    return this.#pairs.filter(([key]) => key === `${name}`).map(([, value]) => value)
  }

  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some(([key, has]) => key === `${name}` && (value === undefined || has === `${value}`))
  }

  set(name: unknown, value: unknown): void {
    const key = `${name}`
    const at = this.#pairs.findIndex(pair => pair[0] === key)
    if (at === -1) {
      this.append(key, value)
      return
    }
    const rest = this.#pairs.filter((pair, index) => index <= at || pair[0] !== key)
    this.#set(rest.map((pair, index) => (index === at ? [key, `${value}`] : pair)))
  }

  sort(): void {
    this.#set([...this.#pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  }

  forEach(callback: (value: string, name: string, all: URLSearchParams) => void, self?: unknown): void {
    for (const [name, value] of this.#pairs) Reflect.apply(callback, self, [value, name, this])
  }

  *keys(): Generator<string> {
    for (const [name] of this.#pairs) yield name
  }

  *values(): Generator<string> {
    for (const [, value] of this.#pairs) yield value
  }

  *entries(): Generator<Pair> {
    for (const [name, value] of this.#pairs) yield [name, value]
  }

  [Symbol.iterator](): Generator<Pair> {
    return this.entries()
  }

  toString(): string {
    return natives.showQuery(this.#pairs) ?? ''
  }
}

function pairsFrom(init: unknown): Pair[] {
  if (typeof init !== 'object' || init === null) {
    return (natives.parseQuery(`${init}`) ?? []).map(([name, value]) => [name, value])
  }
  const list = Symbol.iterator in init ? [...(init as Iterable<Pair>)] : Object.entries(init)
  return list.map(pair => {
    const [name, value] = [...(pair as Pair)]
    return [`${name}`, `${value}`]
  })
}

export class URL {
  #parts: UrlParts
  #parameters: URLSearchParams | undefined

  constructor(input: unknown, base?: unknown) {
    const parts = natives.parseUrl(`${input}`, base === undefined ? undefined : `${base}`)
    if (!parts) throw new TypeError('Invalid URL')
    this.#parts = parts
  }

  static canParse(input: unknown, base?: unknown): boolean {
    return natives.parseUrl(`${input}`, base === undefined ? undefined : `${base}`) !== undefined
  }

  #change(member: string, value: unknown, keepParameters = false): void {
    const parts = natives.changeUrl(this.#parts.href, member, `${value}`)
    if (!parts && member === 'href') throw new TypeError('Invalid URL')
    if (parts) this.#parts = parts
    if (!keepParameters && this.#parameters) URLSearchParams.renew(this.#parameters, this.search)
  }

  get searchParams(): URLSearchParams {
    this.#parameters ??= URLSearchParams.of(this.search, query => this.#change('search', query, true))
    return this.#parameters
  }

  get origin(): string {
    return this.#parts.origin
  }
  get href(): string {
    return this.#parts.href
  }
  set href(value: string) {
    this.#change('href', value)
  }
  get protocol(): string {
    return this.#parts.protocol
  }
  set protocol(value: string) {
    this.#change('protocol', value)
  }
  get username(): string {
    return this.#parts.username
  }
  set username(value: string) {
    this.#change('username', value)
  }
  get password(): string {
    return this.#parts.password
  }
  set password(value: string) {
    this.#change('password', value)
  }
  get host(): string {
    return this.#parts.host
  }
  set host(value: string) {
    this.#change('host', value)
  }
  get hostname(): string {
    return this.#parts.hostname
  }
  set hostname(value: string) {
    this.#change('hostname', value)
  }
  get port(): string {
    return this.#parts.port
  }
  set port(value: string) {
    this.#change('port', value)
  }
  get pathname(): string {
    return this.#parts.pathname
  }
  set pathname(value: string) {
    this.#change('pathname', value)
  }
  get search(): string {
    return this.#parts.search
  }
  set search(value: string) {
    this.#change('search', value)
  }
  get hash(): string {
    return this.#parts.hash
  }
  set hash(value: string) {
    this.#change('hash', value)
  }

  toString(): string {
    return this.href
  }

  toJSON(): string {
    return this.href
  }
}
