import type { Caller } from '../../access/caller.ts'
import type { JsonObject, JsonValue } from '../../base/json.ts'
import type { FoundReceipt, Receipt } from '../idempotency.ts'
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

/** Answers a success again. */
export type Replay = (request: HandlerRequest, found: FoundReceipt) => Promise<Answer>

/** By operation id. */
export type Handlers = Readonly<Record<string, Handler>>

/** By operation id; an operation that is not here answers again what was kept. */
export type Replays = Readonly<Record<string, Replay>>
