import type { Caller } from '../../access/caller.ts'
import type { AuditRecorder } from '../../audit/recorder.ts'
import type { ErrorCode, ServiceError } from '../../base/errors.ts'
import type { Places } from '../../base/flow/places.ts'
import type { RequestPlaces } from '../../base/flow/request-places.ts'
import type { Turns } from '../../base/flow/turns.ts'
import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import type { Log } from '../../base/log.ts'
import type { ObservedRequest, Observer } from '../../base/observer.ts'
import type { LongPage } from '../../base/page.ts'
import type { Random } from '../../base/random.ts'
import type { Clock } from '../../base/time/clock.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Dialect } from '../../contract/dialect.ts'
import type { Validators } from '../../contract/validators.ts'
import type { SealedStore } from '../../storage/records/sealed.ts'
import type { Handlers } from '../handlers/handler.ts'
import type { Answer, CoreRequest, CoreResponse } from '../transport/message.ts'
import type { Cors } from './cors.ts'
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
  answer: Answer | undefined
  /** True if members of the response are to be in camelCase, as the profile allows. */
  isCamelCase: boolean | undefined
  /** The code of the refusal, if it was refused. */
  error: ErrorCode | undefined

  constructor(request: CoreRequest, traceId: string) {
    this.request = request
    this.traceId = traceId
  }
}

/** Does what a request asks for. Never rejects. */
export type Respond = (exchange: Exchange) => Promise<CoreResponse>

/** The way from requests to `/proxy` to what sends them on. */
export interface ProxyDoor {
  /** Returns the operation of a request to `/proxy`, or below it. @throws {ServiceError} method_not_allowed */
  match(request: CoreRequest): Operation | undefined
  forward(exchange: Exchange, caller: Caller): Promise<CoreResponse>
}

/** Translates between the contract and what a profile has clients speak. */
export interface Translator {
  /** Turns a parsed request into one of the contract. @throws {ServiceError} validation */
  readonly read: (exchange: Exchange) => void
  /** Returns the response as its caller expects it. */
  readonly write: (exchange: Exchange, response: CoreResponse) => CoreResponse
  /** Does the same for a page whose items are made one by one. */
  readonly writePage: (exchange: Exchange, page: LongPage<unknown>) => LongPage<unknown>
}

/** A check of the lifecycle, or the reading of a part of a request. Throws the error that the request fails with. */
export type Step = (exchange: Exchange, services: Services) => void | Promise<void>

/** All that serves requests: one object, made once for a server. */
export interface Services {
  /** The checks before the operation, in their order. */
  readonly steps: readonly Step[]
  readonly router: Router
  readonly validators: Validators
  /** What is accepted beyond the contract. */
  readonly dialect?: Dialect | undefined
  /** True for a development server. */
  readonly dev: boolean
  /** True for a server that refuses what others ignore with a warning. */
  readonly strict: boolean
  readonly handlers: Handlers
  readonly idempotency: Pick<Idempotency, 'perform'>
  readonly random: Random
  readonly audit: Pick<AuditRecorder, 'record'>
  readonly log: Log
  readonly cors: Cors
  /** Responds to paths that are not in the contract. Returns `undefined`, or resolves with it, for any other request. */
  readonly outside: (exchange: Exchange) => Promise<CoreResponse | undefined> | undefined
  /** Is called with the begin and the end of each request. */
  readonly requests: { began(): void; ended(): void }
  readonly store: SealedStore
  readonly clock: Clock
  readonly observer?: Observer | undefined
  /** In which requests of each tenant work. */
  readonly places: RequestPlaces
  /** Those of requests on the event loop. */
  readonly turns: Turns
  readonly headerNames: HeaderNames
  /** Absent unless a profile needs one. */
  readonly translator?: Translator | undefined
  /** Absent unless an option switches it on. */
  readonly proxy?: ProxyDoor | undefined
  /** Returns what responds to exchanges, with what is put around it. */
  readonly around: (respond: Respond) => Respond
  /** Returns the response to a request that is refused. */
  readonly problem: (exchange: Exchange, refusal: ServiceError) => CoreResponse
  /** Returns a response, or another one in its place if it breaks the contract. */
  readonly check: (exchange: Exchange, response: CoreResponse) => CoreResponse
}
