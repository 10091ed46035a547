import type { Delegation } from '../access/delegation.ts'
import type { JsonValue } from '../base/json.ts'

/** A request as the core sees it, whatever carried it. */
export interface CoreRequest {
  /** Upper case. */
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  /** As sent, without the question mark. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body, or `undefined` as soon as it turns out to be longer than the limit. */
  readBody(limitBytes: number): Promise<Uint8Array | undefined>
  /** Whose rights hold in place of a key's: for what formulas ask. No wire sets it. */
  readonly onBehalf?: Delegation
}

export interface CoreResponse {
  readonly status: number
  /** Made for this response alone: whatever carries it adds its own. */
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array
  /** A body too long for one piece, in place of `body`. Read it once; it rejects where the rest cannot be made. */
  readonly pieces?: AsyncIterable<string>
}

/** What a handler gives: a status and JSON, or no body at all. */
export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: JsonValue | object
  /** A formula chose it: the contract knows no more of it than that. */
  readonly chosen?: true
}
