import { isJsonObject, type JsonValue } from '../../base/json/json.ts'
import { allRecords } from '../../storage/records/all-records.ts'
import type { Records } from '../../storage/records/records.ts'
import type { TokenRecord } from '../../tokens/token.ts'
import { TenantLogs } from '../bounded-log.ts'
import type { DevHandlersOf } from '../handlers.ts'
import { LeakFinder } from './finder.ts'

interface LeaksParts {
  readonly store: Records
  nowUs(tenant: string): number
}

const mostPlaces = 1000

/** Finds values of a tenant's tokens in what an application wrote. Returns places, never values. */
export class Leaks {
  readonly #parts: LeaksParts
  /** The values that requests had, which need not be in a token any more. */
  readonly seen = new SeenValues()
  /** The values of one tenant, for the further parts of a long text. */
  #last: { readonly tenant: string; readonly finder: LeakFinder } | undefined

  constructor(parts: LeaksParts) {
    this.#parts = parts
  }

  handlers(): DevHandlersOf<'leaks'> {
    return {
      'dev.leaks.find': async ({ tenant, query: { part = 1 }, body }) => {
        const known = part > 1 && this.#last?.tenant === tenant ? this.#last.finder : undefined
        const finder = known ?? (await this.#collect(tenant))
        const places = finder
          .find(body, mostPlaces)
          .map(({ token, ...place }) => ({ ...place, ...(token === undefined ? {} : { token_id: token }) }))
        return { status: 200, body: { places, values: finder.values, skipped: finder.skipped } }
      },
    }
  }

  /** Drops the values that it keeps. */
  clear(): void {
    this.#last = undefined
    this.seen.clear()
  }

  async #collect(tenant: string): Promise<LeakFinder> {
    const finder = new LeakFinder()
    const known = new Set<string>()
    const store = await this.#parts.store.tenant(tenant)
    if (store) {
      const nowMs = this.#parts.nowUs(tenant) / 1000
      // Codes of cards are too short to be searched for.
      for await (const { value } of allRecords<TokenRecord>(store, 'token', { op: 'all' }, nowMs)) {
        for (const leaf of leavesOf(value.data)) {
          finder.add(value.id, leaf)
          known.add(leaf)
        }
      }
    }
    for (const { value, token } of this.seen.of(tenant)) {
      if (!known.has(value)) finder.add(token, value)
      known.add(value)
    }
    this.#last = { tenant, finder }
    return finder
  }
}

/** As the contract says. */
const mostValues = 10_000
const mostBytes = 1_000_000

interface Seen {
  readonly value: string
  /** Absent if no token has the value. */
  readonly token: string | undefined
}

/** The last values that a tenant has sent to be kept in tokens, also of those that were refused, changed or deleted. */
class SeenValues {
  readonly #logs = new TenantLogs<Seen>(mostValues, mostBytes)

  /** @param response the body of the response, if it was accepted */
  add(tenant: string, operation: string, request: JsonValue, response: object | undefined): void {
    const log = this.#logs.of(tenant)
    for (const [data, token] of dataOf(operation, request, response)) {
      for (const value of leavesOf(data)) log.add({ value, token }, 2 * value.length)
    }
  }

  of(tenant: string): readonly Seen[] {
    return this.#logs.of(tenant).list(() => true)
  }

  clear(): void {
    this.#logs.clear()
  }
}

/** Returns the data in a request, and the id of its token. */
function* dataOf(
  operation: string,
  request: JsonValue,
  response: object = {},
): Generator<readonly [data: JsonValue, token: string | undefined]> {
  if (operation === 'tokenize') yield* dataWithin(request)
  else if (operation === 'tokens.create' || operation === 'tokens.update') {
    const id = 'id' in response && typeof response.id === 'string' ? response.id : undefined
    if (isJsonObject(request) && request.data !== undefined) yield [request.data, id]
  }
}

/** Returns the data in a payload: of requests for tokens their data, and everything else as it is. */
function* dataWithin(payload: JsonValue): Generator<readonly [data: JsonValue, token: undefined]> {
  if (isJsonObject(payload) && typeof payload.type === 'string' && payload.data !== undefined) {
    yield [payload.data, undefined]
  } else if (typeof payload === 'object' && payload !== null) {
    for (const child of Object.values(payload)) yield* dataWithin(child)
  } else yield [payload, undefined]
}

/** Returns the texts and numbers in a value, as texts. */
function* leavesOf(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) yield* leavesOf(child)
  }
}
