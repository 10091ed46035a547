import type { Delegation } from '../../access/delegation.ts'
import type { JsonValue } from '../../base/json/json.ts'

/** A request, whether it came over a socket, by `fetch` or from a formula. */
export interface CoreRequest {
  /** Upper case. */
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  /** As sent, without the question mark. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address of the connection's other end, or of the client behind a trusted proxy. Absent without a socket. */
  readonly peer?: string | undefined
  /** True once nobody waits for the response. */
  readonly isGone: boolean
  /**
   * Resolves with the body, or with `undefined` as soon as it is longer than the limit.
   * @param tenant that of the caller, whose share of memory it takes
   */
  readBody(limitBytes: number, tenant: string): Promise<Uint8Array | undefined>
  /**
   * Counts the bytes of a response until it is sent, in the share of a tenant. Does nothing without a socket.
   * @throws {ServiceError} unavailable, if there is no memory for them
   */
  holdResponse(bytes: number, tenant: string): void
  /** Calls a function when the caller is gone, or has its response. */
  onClose(listener: () => void): void
  /** Replaces the API key in requests of formulas. Requests from outside never have it. */
  readonly delegation?: Delegation
}

export interface CoreResponse {
  readonly status: number
  /** Made for this response alone, as its adapter adds headers. */
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array
  /** A long body in pieces, instead of `body`. Can be read once; rejects if the rest cannot be made. */
  readonly pieces?: AsyncIterable<string | Uint8Array>
}

/** The result of a handler: a status, and JSON or no body. */
export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: JsonValue | object
  /** True if a formula chose status and body, which the contract does not describe. */
  readonly chosen?: true
}

/** Returns a body that is in one piece. */
export function bytesOf({ body = '' }: CoreResponse): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body
}

/** Returns the length of a body in bytes; 0 for one in pieces. */
export function lengthOf({ body = '' }: CoreResponse): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

export function jsonResponse(
  status: number,
  body: JsonValue | object,
  headers: Record<string, string> = {},
): CoreResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }
}
