import { isJsonObject, type JsonValue } from '../../base/json/json.ts'
import { TenantLogs } from '../bounded-log.ts'

/** As the contract says. */
const mostValues = 10_000
const mostBytes = 1_000_000

interface Seen {
  readonly value: string
  /** Absent if no token has the value. */
  readonly token: string | undefined
}

/** The last values that a tenant has sent to be kept in tokens, also of those that were refused, changed or deleted. */
export class SeenValues {
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
export function* leavesOf(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) yield* leavesOf(child)
  }
}
