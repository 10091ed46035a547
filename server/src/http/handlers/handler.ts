import type { Caller } from '../../access/caller.ts'
import type { JsonObject, JsonValue } from '../../base/json.ts'
import type { KeptAnswer, Receipt } from '../idempotency.ts'
import type { Answer } from '../message.ts'

/** What a handler is given: all of it has passed the contract. */
export interface HandlerRequest {
  readonly caller: Caller
  readonly path: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly body: JsonValue | undefined
  readonly traceId: string
  /** How many formulas wait for the answer; 0 for a request from outside. */
  readonly depth: number
  /** With an idempotency key: makes the write that keeps the success. Used, it belongs into the commit. */
  readonly receipt?: Receipt | undefined
}

/** Takes an operation's shapes apart, calls one verb of the domain and puts its answer in shape. */
export type Handler = (request: HandlerRequest) => Promise<Answer>

/**
 * Answers a success again, as it would be answered today: by the caller's rights of this moment, from what there is
 * now; it throws what a first request would where they do not suffice, and `not_found` for what is gone.
 */
// Requirements: IDE-522
export type Replay = (request: HandlerRequest, kept: KeptAnswer) => Promise<Answer>

/** By operation id. */
export type Handlers = Readonly<Record<string, Handler>>

/** By operation id: of every operation that takes an idempotency key. */
export type Replays = Readonly<Record<string, Replay>>
