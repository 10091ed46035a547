/**
 * @module @surrogate/server/testing/recording
 * Records what an application sends to any server that speaks the contract, without its values, and repeats it on
 * another: tests that were written against a remote service then show where a vault responds differently.
 */
import { isJsonObject, type JsonObject, type JsonValue } from './base/json/json.ts'
import { readOperations } from './contract/contract.ts'
import { StandIns } from './testing-stand-ins.ts'

type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** A request and its response. Values are stand-ins of the same shape. */
export interface RecordedExchange {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, readonly string[]>>
  readonly key?: string
  readonly idempotencyKey?: string
  readonly body?: JsonValue
  /** Absent if there was no response. */
  readonly status?: number
  readonly response?: JsonValue
}

/** What is written to a file, as JSON. */
export interface Recording {
  readonly version: 1
  /** Stand-ins of the API keys that no response contained, in the order in which they were first used. */
  readonly keys: readonly string[]
  readonly exchanges: readonly RecordedExchange[]
}

export interface RecorderOptions {
  /** Replaces the global `fetch`, as for a vault in the same process. */
  readonly fetch?: Fetch
  /** Prefix of the server's own headers, as in `SVC-API-KEY`. Default `SVC`. */
  readonly headerPrefix?: string
  /** The path of the server's base URL, such as `/vault`, if it has one. */
  readonly basePath?: string
}

const mostExchanges = 1000
const longestBody = 100_000

/**
 * Records requests. Pass its `fetch` to the client.
 *
 * @example
 * const recorder = new Recorder()
 * const surrogate = new Surrogate({ baseUrl: 'https://vault.example.org', apiKey, fetch: recorder.fetch })
 * await runTheTests(surrogate)
 * await writeFile('recording.json', JSON.stringify(recorder.recording()))
 */
export class Recorder {
  /** Sends a request, and records it with its response. */
  readonly fetch: Fetch
  readonly #standIns = new StandIns()
  readonly #exchanges: RecordedExchange[] = []
  readonly #keys: string[] = []
  readonly #made = new Set<string>()

  constructor({ fetch = globalThis.fetch, headerPrefix = 'SVC', basePath = '' }: RecorderOptions = {}) {
    this.fetch = async (url, init = {}) => {
      if (this.#exchanges.length >= mostExchanges)
        throw new Error(`a recording has at most ${mostExchanges} requests; make another one`)
      const headers = new Headers(init.headers)
      const recorded = this.#request(new URL(url), init, headers, headerPrefix, basePath)
      // Its place is that of the request, whenever its response comes.
      const at = this.#exchanges.push(recorded) - 1
      const response = await fetch(url, init)
      const body = parsed(await response.clone().text())
      if (body !== undefined) this.#note(body)
      this.#exchanges[at] = {
        ...recorded,
        status: response.status,
        ...(body === undefined ? {} : { response: this.#standIns.of(body, isAllData(recorded.path)) }),
      }
      return response
    }
  }

  recording(): Recording {
    return { version: 1, keys: [...this.#keys], exchanges: [...this.#exchanges] }
  }

  #request(
    url: URL,
    init: RequestInit,
    headers: Headers,
    prefix: string,
    basePath: string,
  ): RecordedExchange {
    const key = headers.get(`${prefix}-API-KEY`)
    const idempotencyKey = headers.get(`${prefix}-IDEMPOTENCY-KEY`)
    const body = parsed(typeof init.body === 'string' ? init.body : '')
    const standIn = key === null ? undefined : this.#standIns.ofText(key)
    if (key !== null && standIn !== undefined && !this.#made.has(key) && !this.#keys.includes(standIn))
      this.#keys.push(standIn)
    const path = url.pathname.slice(basePath.length)
    return {
      method: (init.method ?? 'GET').toUpperCase(),
      path: path
        .split('/')
        .map(segment => this.#segment(segment))
        .join('/'),
      ...(url.search === '' ? {} : { query: this.#query(url.searchParams) }),
      ...(standIn === undefined ? {} : { key: standIn }),
      ...(idempotencyKey === null ? {} : { idempotencyKey: this.#standIns.ofText(idempotencyKey) }),
      ...(body === undefined ? {} : { body: this.#standIns.of(body, isAllData(path)) }),
    }
  }

  #segment(segment: string): string {
    return segments.has(segment)
      ? segment
      : encodeURIComponent(this.#standIns.ofText(decodeURIComponent(segment)))
  }

  #query(given: URLSearchParams): Record<string, string[]> {
    const shown: Record<string, string[]> = {}
    for (const [name, value] of given) {
      const [, member] = /^metadata\.(.+)$/.exec(name) ?? []
      const shownName = member === undefined ? name : `metadata.${this.#standIns.ofName(member)}`
      const isNumber = ['page', 'size'].includes(name) && /^\d{1,6}$/.test(value)
      const list = shown[shownName] ?? []
      list.push(isNumber ? value : this.#standIns.ofText(value))
      shown[shownName] = list
    }
    return shown
  }

  /** Notes keys that a response gives, as later requests use them. */
  #note(body: JsonValue): void {
    if (typeof body === 'string') this.#made.add(body)
    else if (typeof body === 'object' && body !== null)
      for (const item of Object.values(body)) this.#note(item)
  }
}

/** Payloads are the caller's as a whole. */
const isAllData = (path: string) => /^\/(de)?tokenize\/?$/.test(path)

const segments = new Set(readOperations().flatMap(({ path }) => path.split('/')))

/** What differs between the recorded response and the one of the server. It has no values. */
export interface Difference {
  /** From 1. */
  readonly exchange: number
  /** Such as `POST /tokens`. */
  readonly request: string
  /** Such as `status` or `response.data.number`. */
  readonly member: string
  readonly recorded: string
  readonly received: string
}

export interface ReplayOptions {
  readonly baseUrl: string
  /** An API key for each of the recording's `keys`. */
  readonly keys: readonly string[]
  readonly fetch?: Fetch
  readonly headerPrefix?: string
}

/**
 * Repeats the requests of a recording, one after the other, and compares the responses: status, members, and the type and
 * length of values. Ids and keys that the server makes take the place of the recorded ones in later requests.
 *
 * @throws {TypeError} if the recording needs another number of keys, or is not one
 * @example
 * const differences = await replay(JSON.parse(text), { baseUrl: 'http://vault', fetch: vault.fetch, keys: [privateKey] })
 * assert.deepEqual(differences, [])
 */
export async function replay(recording: Recording, options: ReplayOptions): Promise<Difference[]> {
  const { baseUrl, keys, fetch = globalThis.fetch, headerPrefix = 'SVC' } = options
  if (recording?.version !== 1) throw new TypeError('not a recording of version 1')
  if (keys.length !== recording.keys.length)
    throw new TypeError(`keys must have ${recording.keys.length} API keys, as the recording uses so many`)
  // Anything else could lead the keys to another server.
  if (recording.exchanges.some(({ path }) => !path.startsWith('/')))
    throw new TypeError('a path of the recording does not begin with /')
  const bound = new Map(recording.keys.map((key, at) => [key, keys[at] ?? '']))
  const inText = (text: string) => bound.get(text) ?? text.replaceAll(uuids, id => bound.get(id) ?? id)
  const inValue = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return inText(value)
    if (Array.isArray(value)) return value.map(inValue)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inValue(item)]))
  }
  const differences: Difference[] = []
  for (const [
    at,
    { method, path, query = {}, key, idempotencyKey, body, ...recorded },
  ] of recording.exchanges.entries()) {
    const url = new URL(
      baseUrl.replace(/\/$/, '') +
        path
          .split('/')
          .map(one => encodeURIComponent(inText(decodeURIComponent(one))))
          .join('/'),
    )
    for (const [name, values] of Object.entries(query))
      for (const value of values) url.searchParams.append(name, inText(value))
    const response = await fetch(String(url), {
      method,
      headers: {
        ...(key === undefined ? {} : { [`${headerPrefix}-API-KEY`]: inText(key) }),
        ...(idempotencyKey === undefined ? {} : { [`${headerPrefix}-IDEMPOTENCY-KEY`]: idempotencyKey }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(inValue(body)) }),
    })
    const received = parsed(await response.text())
    // What a lost response had is not known.
    if (recorded.status === undefined) continue
    const name = (member: string, left: string, right: string) =>
      differences.push({
        exchange: at + 1,
        request: `${method} ${path.replaceAll(uuids, '{id}')}`,
        member,
        recorded: left,
        received: right,
      })
    if (recorded.status !== response.status) name('status', String(recorded.status), String(response.status))
    else compare(recorded.response, received, 'response', bound, name)
  }
  return differences
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const dateTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

function compare(
  recorded: JsonValue | undefined,
  received: JsonValue | undefined,
  member: string,
  bound: Map<string, string>,
  name: (member: string, recorded: string, received: string) => void,
): void {
  if (isJsonObject(recorded) && isJsonObject(received)) {
    // The words of a problem are each server's own.
    if (isProblem(recorded) && isProblem(received)) {
      if (recorded.type !== received.type)
        name(`${member}.type`, String(recorded.type), String(received.type))
      return
    }
    for (const one of new Set([...Object.keys(recorded), ...Object.keys(received)]))
      compare(recorded[one], received[one], `${member}.${one}`, bound, name)
  } else if (Array.isArray(recorded) && Array.isArray(received) && recorded.length === received.length) {
    for (const [at, item] of recorded.entries()) compare(item, received[at], `${member}.${at}`, bound, name)
  } else if (typeof recorded === 'string' && typeof received === 'string') {
    if (dateTime.test(recorded) && dateTime.test(received)) return
    const known = bound.get(recorded)
    if (known === undefined && recorded !== received && recorded.length === received.length)
      bound.set(recorded, received)
    else if ((known ?? recorded).length !== received.length) name(member, shape(recorded), shape(received))
  } else if (shape(recorded) !== shape(received)) name(member, shape(recorded), shape(received))
}

const isProblem = ({ type }: JsonObject) =>
  typeof type === 'string' && /^urn:[a-z]+:error:[a-z_]+$/.test(type)

function shape(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `string(${value.length})`
  if (Array.isArray(value)) return `list(${value.length})`
  return value === null ? 'null' : typeof value
}

function parsed(text: string): JsonValue | undefined {
  if (text === '' || text.length > longestBody) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
