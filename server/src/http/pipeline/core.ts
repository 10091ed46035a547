import { deniedCause } from '../../access/caller.ts'
import type { ServiceError } from '../../base/errors.ts'
import { connectionLimits, largeBody } from '../../base/limits.ts'
import { describeError } from '../../base/log.ts'
import { NotOfOurs } from '../../base/not-of-ours.ts'
import { isLongPage, type LongPage } from '../../base/page.ts'
import { clearTimeout, setTimeout } from '../../base/time/real-time.ts'
import { isProxied, problemType } from '../../contract/contract.ts'
import { type CoreRequest, type CoreResponse, jsonResponse } from '../transport/message.ts'
import { beginPieces, joinPieces, pagePieces } from '../transport/page-pieces.ts'
import { checkItems } from './check-response.ts'
import { Exchange, type Services } from './exchange.ts'
import { identified, perform } from './lifecycle.ts'
import { tooLargeForFormula, toServiceError } from './problem.ts'

/** The server without a socket: takes a request and resolves with a response. Never rejects. */
export type Core = (request: CoreRequest) => Promise<CoreResponse>

const printable = /^[\x20-\x7e]{1,200}$/

export function createCore(services: Services): Core {
  const { cors, random, requests, outside, headerNames, dialect } = services
  const added = Object.entries(dialect?.responseHeaders ?? {})
  const traceHeader = headerNames.trace.toLowerCase()
  const responding = services.around(exchange => respond(services, exchange))

  return async request => {
    requests.began()
    try {
      const given = request.headers[traceHeader]
      // Requirements: WIR-501
      const traceId = given !== undefined && printable.test(given) ? given : random.uuid()
      // Formulas reach operations of the contract only, and not the clock of a development server.
      const exchange = new Exchange(request, traceId)
      const early = request.delegation
        ? undefined
        : (cors.preflight(request) ?? outside(exchange)?.catch(error => refuse(services, exchange, error)))
      const found = early && (await early)
      const response = found ? services.check(exchange, found) : await responding(exchange)
      const { headers } = response
      headers[headerNames.trace] = traceId
      if (request.delegation) return response
      if (dialect?.problemsAsJson && headers['Content-Type'] === problemType) {
        headers['Content-Type'] = 'application/json'
      }
      // What a formula or a target has set stays.
      for (const [name, value] of added) headers[name] ??= value
      // Requirements: WIR-542
      headers['Cache-Control'] = (found && headers['Cache-Control']) || 'no-store'
      cors.allow(request, headers)
      return response
    } finally {
      requests.ended()
    }
  }
}

async function respond(services: Services, exchange: Exchange): Promise<CoreResponse> {
  const { observer, translator } = services
  const { request } = exchange
  // What a formula asks for is part of the request that runs it.
  if (observer && !request.delegation)
    exchange.observed = observer.request({ traceparent: request.headers.traceparent })
  let response: CoreResponse
  try {
    const proxied = await proceed(services, exchange, 0)
    const { body } = exchange.answer ?? {}
    const isLong = typeof body === 'object' && body !== null && isLongPage(body)
    response = isLong ? await toLongResponse(services, exchange, body) : (proxied ?? toResponse(exchange))
    // Small ones fit into what each connection may hold anyway.
    const { length } = response.body ?? ''
    if (length > connectionLimits.smallResponseBytes)
      request.holdResponse?.(length, exchange.caller?.tenant ?? '')
    // Its items are checked and translated one by one.
    if (isLong && translator) return seen(exchange, response)
  } catch (error) {
    response = refuse(services, exchange, error)
  } finally {
    if (exchange.caller) exchange.places?.release(exchange.caller)
  }
  // The items of a long page are checked one by one.
  const checked = response.pieces ? response : services.check(exchange, response)
  return seen(exchange, translator?.write(exchange, checked) ?? checked)
}

/** Tells the observer of a request, if there is one, how it ended. */
function seen(exchange: Exchange, response: CoreResponse): CoreResponse {
  if (!exchange.observed) return response
  const { request, operation, caller, error, traceId } = exchange
  const { method, peer } = request
  exchange.observed.end({ operation, caller, status: response.status, traceId, method, error, peer })
  return response
}

/** Does the checks from this one on, then the operation. Resolves with the response of another service, if it has one. */
async function proceed(
  services: Services,
  exchange: Exchange,
  from: number,
): Promise<CoreResponse | undefined> {
  const { steps, clock, proxy, turns } = services
  const { tenants } = clock
  for (let at = from; at < steps.length; at++) {
    // Most checks return no promise, and awaiting one would cost a microtask each.
    const pending = steps[at]?.(exchange, services)
    if (pending) await pending
    const { caller } = exchange
    const tenant = caller?.tenant
    // The tenant has a clock of its own.
    if (from === 0 && tenant !== undefined && tenants.offsetMs(tenant) > 0) {
      return tenants.run(tenant, () => proceed(services, exchange, at + 1))
    }
    // Each of the following checks goes through the whole body.
    if (caller && exchange.bytes && exchange.bytes.length > largeBody) await turns.pass(caller)
  }
  const { operation, caller } = identified(exchange)
  // Its response is that of another service.
  if (isProxied(operation)) return proxy?.forward(exchange, caller)
  exchange.answer = await perform(exchange, operation, caller, services)
  return undefined
}

function toResponse({ answer }: Exchange): CoreResponse {
  if (!answer) throw new Error('the lifecycle ended without an answer')
  const { status, body, headers } = answer
  return body === undefined ? { status, headers: { ...headers } } : jsonResponse(status, body, headers)
}

/** Returns a long page, of which each item is checked, in pieces, or as one text if all of it fits into the first piece. */
async function toLongResponse(
  services: Services,
  exchange: Exchange,
  page: LongPage<unknown>,
): Promise<CoreResponse> {
  const { dev, translator } = services
  const { request, answer } = exchange
  const headers = { 'Content-Type': 'application/json', ...answer?.headers }
  const status = answer?.status ?? 200
  const checked = dev ? { ...page, data: checkItems(services, exchange, page) } : page
  const begun = await beginPieces(pagePieces(translator?.writePage(exchange, checked) ?? checked))
  if (typeof begun === 'string') return { status, headers, body: begun }
  // A formula gets its answer in one message.
  if (request.delegation) {
    // Under `--dev` it is refused after the check against the contract, which has no 413 for reads.
    const body = await joinPieces(begun, dev ? undefined : connectionLimits.formulaAnswerBytes)
    if (body !== undefined) return { status, headers, body }
    throw tooLargeForFormula()
  }
  return { status, headers, pieces: reporting(begun, cutOff(services, exchange)) }
}

/** Returns a function that reports why the rest of a response cannot be sent. */
function cutOff({ log }: Services, { operation, traceId }: Exchange): (error: unknown) => void {
  return error => {
    // Not `error`: an outage of the store must not take the place of this line, as this caller has half an answer.
    const { error: reason, ...rest } = describeError(error)
    log.error('answer cut off', { trace: traceId, operation: operation?.id, reason, ...rest })
  }
}

async function* reporting<T>(items: AsyncIterable<T>, failed: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    failed(error)
    throw error
  }
}

function refuse(services: Services, exchange: Exchange, error: unknown): CoreResponse {
  const refusal = toServiceError(error)
  exchange.error = refusal.code
  const { traceId, operation } = exchange
  const { log } = services
  if (refusal.code === 'permission_denied' && !(refusal.cause instanceof NotOfOurs))
    recordRefusal(services, exchange, refusal)
  if (refusal.status >= 500 && refusal !== error) {
    log.error('request failed', { trace: traceId, operation: operation?.id, ...describeError(error) })
  }
  return services.problem(exchange, refusal)
}

/** Adds a refused operation to the audit log. */
function recordRefusal({ audit }: Services, exchange: Exchange, refusal: ServiceError): void {
  const { caller, operation, rawParameters } = exchange
  if (!caller || operation?.entityType === undefined) return
  // The id of what a request is about is recorded only if the access rules have found it.
  const entity = rawParameters?.id === undefined ? undefined : deniedCause(refusal)?.subject
  audit.record(caller.tenant, {
    // An operation that needs no permission is named in the form of one: `session:authorize`.
    operation:
      operation.permission ??
      `${operation.entityType}:${operation.id.slice(operation.id.lastIndexOf('.') + 1)}`,
    entity_type: operation.entityType,
    ...(entity === undefined ? {} : { entity_id: entity }),
    actor: caller.application,
    session: caller.session,
    outcome: 'refused',
  })
}

/** Counts the requests under way, so that a vault can finish them before it closes its store, and tests can wait for them. */
export class UnderWay {
  #count = 0
  #waiting: (() => void)[] = []
  #alone: Promise<void> | undefined

  /** Does work as a request: after other work that has to be alone, unless it is part of a request. */
  async during<T>(work: () => Promise<T>, isPart = false): Promise<T> {
    while (this.#alone && !isPart) await this.#alone
    this.began()
    try {
      return await work()
    } finally {
      this.ended()
    }
  }

  /** Does work while no request is under way, or after `timeoutMs`. Others wait. */
  async alone(work: () => Promise<void>, timeoutMs: number): Promise<void> {
    while (this.#alone) await this.#alone
    const done = this.idle(timeoutMs).then(work)
    this.#alone = done
      .catch(() => {})
      .then(() => {
        this.#alone = undefined
      })
    await done
  }

  /** Counts a request. */
  began(): void {
    this.#count++
  }

  /** Counts a request as done, whatever its response. */
  ended(): void {
    if (--this.#count > 0) return
    for (const resolve of this.#waiting) resolve()
    this.#waiting = []
  }

  get isIdle(): boolean {
    return this.#count === 0
  }

  /** Resolves when no request is under way, or after `timeoutMs`. */
  async idle(timeoutMs?: number): Promise<void> {
    if (this.isIdle) return
    await new Promise<void>(resolve => {
      const timeout = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs)
      this.#waiting.push(() => {
        clearTimeout(timeout)
        resolve()
      })
    })
  }
}
