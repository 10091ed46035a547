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
  /** With an idempotency key: keeps the answer, in the commit that does the work. */
  readonly receipt?: Receipt | undefined
}

/** Takes an operation's shapes apart, calls one verb of the domain and puts its answer in shape. */
export type Handler = (request: HandlerRequest) => Promise<Answer>

/**
 * Answers a repeated request from what is stored now, by the caller's present rights. Throws what the first request
 * would throw if they do not suffice, and `not_found` if what was made is gone.
 */
// Requirements: IDE-522
export type Replay = (request: HandlerRequest, kept: KeptAnswer) => Promise<Answer>

/** By operation id. */
export type Handlers = Readonly<Record<string, Handler>>

/** By operation id: of every operation that takes an idempotency key. */
export type Replays = Readonly<Record<string, Replay>>
