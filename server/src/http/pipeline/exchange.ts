import type { Caller } from '../../access/caller.ts'
import type { ServiceError } from '../../base/errors.ts'
import type { Places } from '../../base/flow/places.ts'
import type { RequestPlaces } from '../../base/flow/request-places.ts'
import type { Turns } from '../../base/flow/turns.ts'
import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import type { ObservedRequest } from '../../base/observer.ts'
import type { Clock } from '../../base/time/clock.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Dialect } from '../../contract/dialect.ts'
import type { Validators } from '../../contract/validators.ts'
import type { Records } from '../../storage/records/records.ts'
import type { Handlers } from '../handlers/handler.ts'
import type { Answer, CoreRequest, CoreResponse } from '../transport/message.ts'
import type { HeaderNames } from './header-names.ts'
import type { Idempotency } from './perform-once.ts'
import type { Router } from './routes.ts'

/**
 * A request and what the steps of the lifecycle have found out about it so far. It has all members from the start, as
 * adding them later takes time.
 */
export class Exchange {
  readonly request: CoreRequest
  readonly traceId: string
  /** Absent if nobody observes, and for requests of formulas. */
  observed: ObservedRequest | undefined
  operation: Operation | undefined
  rawParameters: Readonly<Record<string, string>> | undefined
  caller: Caller | undefined
  bytes: Uint8Array | undefined
  /** Where it has a place, or waits for one. */
  places: Places | undefined
  parameters: Record<string, string> | undefined
  query: JsonObject | undefined
  body: JsonValue | undefined
  /** The result of the operation. */
  answer: Answer | undefined
  /** The response of another service, instead of an answer. */
  forwarded: CoreResponse | undefined
  /** True if members of the response are to be in camelCase, as the profile allows. */
  isCamelCase: boolean | undefined
  /** Why it was refused, if it was. */
  refusal: ServiceError | undefined

  constructor(request: CoreRequest, traceId: string) {
    this.request = request
    this.traceId = traceId
  }
}

/** Does what a request asks for. */
export type Respond = (exchange: Exchange) => Promise<CoreResponse>

/** The way from requests to `/proxy` to what sends them on. */
export interface ProxyRoute {
  /** Returns the operation of a request to `/proxy`, or below it. @throws {ServiceError} method_not_allowed */
  match(request: CoreRequest): Operation | undefined
  forward(exchange: Exchange, caller: Caller): Promise<CoreResponse>
}

/** Translates between the contract and what a profile has clients speak. */
export interface Translator {
  /** Adds the reading of requests, and the writing of pages whose items are made one by one. */
  steps(steps: readonly Step[]): readonly Step[]
  /** Returns responses as their callers expect them. */
  respond(respond: Respond): Respond
}

/**
 * A check of the lifecycle, the reading of a part of a request, or what performs it. Throws the error that the request fails
 * with.
 */
export type Step = (exchange: Exchange, services: Services) => void | Promise<void>

/** What steps work with: one object, made once for a server. */
export interface Services {
  /** In their order. The last one performs the request. */
  readonly steps: readonly Step[]
  readonly router: Router
  readonly validators: Validators
  /** What is accepted beyond the contract. */
  readonly dialect: Dialect | undefined
  /** True for a server that refuses what others ignore with a warning. */
  readonly strict: boolean
  readonly handlers: Handlers
  readonly idempotency: Pick<Idempotency, 'perform'>
  readonly records: Records
  readonly clock: Pick<Clock, 'nowUs'>
  /** In which requests of each tenant work. */
  readonly places: RequestPlaces
  /** Those of requests on the event loop. */
  readonly turns: Turns
  readonly headerNames: HeaderNames
  /** Absent unless an option switches it on. */
  readonly proxy: ProxyRoute | undefined
}
