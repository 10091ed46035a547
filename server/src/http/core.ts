import type { DeniedCause } from '../access/caller.ts'
import { ServiceError } from '../base/errors.ts'
import { describeError, type Log } from '../base/log.ts'
import { isLongPage, type LongPage } from '../base/page.ts'
import type { Random } from '../base/random.ts'
import { nextTurn } from '../base/turn.ts'
import { type Operation, problemType } from '../contract/contract.ts'
import { byFormula } from '../reactors/outcome.ts'
import type { Cors } from './cors.ts'
import type { Exchange, Services } from './exchange.ts'
import { lifecycle } from './lifecycle.ts'
import { largeBody, limits } from './limits.ts'
import type { CoreRequest, CoreResponse } from './message.ts'
import { beginPieces, joinPieces, pagePieces } from './pieces.ts'
import { problemResponse, toServiceError } from './problem.ts'

export interface CoreOptions {
  readonly services: Services
  readonly cors: Cors
  readonly log: Log
  readonly random: Random
  /** As callers see it, such as `SVC-TRACE-ID`. */
  readonly traceHeader: string
  /** Answers paths that stand outside the contract, such as `/healthz`. */
  readonly beside: (request: CoreRequest) => Promise<CoreResponse | undefined> | undefined
  /** Says in a 403 which rule was missing, and holds every response against the contract. */
  readonly dev: boolean
}

/** The server without a wire: a request in, a response out, never a rejection. */
export type Core = (request: CoreRequest) => Promise<CoreResponse>

const printable = /^[\x20-\x7e]{1,200}$/

export function createCore(options: CoreOptions): Core {
  const { cors, random } = options
  const { validators, handlers, replays } = options.services
  for (const { id, idempotent } of validators.operations) {
    if (!handlers[id]) throw new Error(`the contract has ${id}, and nothing answers it`)
    if (idempotent && !replays[id]) throw new Error(`nothing answers ${id} again`)
  }
  const traceHeader = options.traceHeader.toLowerCase()

  return async request => {
    const given = request.headers[traceHeader]
    // Requirements: WIR-501
    const traceId = given !== undefined && printable.test(given) ? given : random.uuid()
    // What a formula asks for is in the contract or nowhere: it must not reach a development server's clock.
    const response = request.onBehalf
      ? await run(options, request, traceId)
      : (cors.preflight(request) ??
        (await options
          .beside(request)
          ?.catch(error => refuse(options, { request, traceId }, error, traceId))) ??
        (await run(options, request, traceId)))
    cors.allow(request, response.headers)
    response.headers[options.traceHeader] = traceId
    return response
  }
}

async function run(options: CoreOptions, request: CoreRequest, traceId: string): Promise<CoreResponse> {
  const exchange: Exchange = { request, traceId }
  let response: CoreResponse
  try {
    for (const step of lifecycle) {
      // Awaiting what is no promise would cost a turn of the queue at each step.
      const pending = step(exchange, options.services)
      if (pending) await pending
      // Each of the steps behind it goes through the whole of a body.
      if (exchange.bytes && exchange.bytes.length > largeBody) await nextTurn()
    }
    const { body } = exchange.answer ?? {}
    const isLong = typeof body === 'object' && body !== null && isLongPage(body)
    response = isLong ? await toLongResponse(options, exchange, body) : toResponse(exchange)
  } catch (error) {
    response = refuse(options, exchange, error, traceId)
  }
  return options.dev ? held(options, exchange, response, traceId) : response
}

function toResponse({ answer }: Exchange): CoreResponse {
  if (!answer) throw new Error('the lifecycle ended without an answer')
  const { status, body } = answer
  if (body === undefined) return { status, headers: { ...answer.headers } }
  const headers = { 'Content-Type': 'application/json', ...answer.headers }
  return { status, headers, body: JSON.stringify(body) }
}

/** A page that is too long to be made at once, in pieces; whole where not even the first piece becomes full. */
async function toLongResponse(
  { dev, log }: CoreOptions,
  { request, answer, operation, traceId }: Exchange,
  page: LongPage<unknown>,
): Promise<CoreResponse> {
  const headers = { 'Content-Type': 'application/json', ...answer?.headers }
  const status = answer?.status ?? 200
  const begun = await beginPieces(pagePieces(page))
  if (typeof begun === 'string') return { status, headers, body: begun }
  // Under `--dev` all of it is held against the contract; a formula gets its answer in one message.
  if (request.onBehalf || dev) {
    const body = await joinPieces(begun, dev ? undefined : limits.formulaAnswerBytes)
    if (body !== undefined) return { status, headers, body }
    throw new ServiceError('payload_too_large', 'the answer is too large for a formula; ask for less')
  }
  const failed = (error: unknown) =>
    log.error('answer cut off', { trace: traceId, operation: operation?.id, ...describeError(error) })
  return { status, headers, pieces: reporting(begun, failed) }
}

async function* reporting<T>(items: AsyncIterable<T>, failed: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    failed(error)
    throw error
  }
}

function refuse(options: CoreOptions, exchange: Exchange, error: unknown, traceId: string): CoreResponse {
  const refusal = toServiceError(error)
  if (refusal.code === 'permission_denied' && refusal.cause !== byFormula)
    recordRefusal(options, exchange, refusal)
  if (refusal.status >= 500 && refusal !== error) {
    options.log.error('request failed', {
      trace: traceId,
      operation: exchange.operation?.id,
      ...describeError(error),
    })
  }
  return problemResponse(refusal, traceId, options.dev ? deniedCause(refusal)?.missing : undefined)
}

/** Whoever tries what it may not do leaves a trace. */
function recordRefusal({ services }: CoreOptions, exchange: Exchange, refusal: ServiceError): void {
  const { caller, operation, rawParameters } = exchange
  if (!caller || !operation) return
  // Of an id in a path it is only known that it names something when the access rules have looked at that.
  const entity = rawParameters?.id === undefined ? undefined : deniedCause(refusal)?.subject
  services.audit.record(caller.tenant, {
    operation: operation.permission ?? auditedName(operation),
    entity_type: operation.entityType,
    ...(entity === undefined ? {} : { entity_id: entity }),
    actor: caller.application,
    session: caller.session,
    outcome: 'refused',
  })
}

/** What asks for no permission is called as if there were one: `session:authorize`. */
function auditedName({ id, entityType }: Operation): string {
  return `${entityType}:${id.slice(id.lastIndexOf('.') + 1)}`
}

function deniedCause({ cause }: ServiceError): DeniedCause | undefined {
  return cause && typeof cause === 'object' && 'missing' in cause ? (cause as DeniedCause) : undefined
}

/** A response that is not what the contract says is our fault, and under `--dev` nobody should miss it. */
async function held(
  options: CoreOptions,
  exchange: Exchange,
  response: CoreResponse,
  traceId: string,
): Promise<CoreResponse> {
  const { operation } = exchange
  if (!operation || response.status === 405) return response
  const body = typeof response.body === 'string' ? JSON.parse(response.body) : undefined
  const headers = { ...response.headers, [options.traceHeader]: traceId }
  const { validators } = options.services
  const status = exchange.answer?.chosen ? 'default' : response.status
  const fault = validators.findResponseFault(operation, status, headers, body)
  if (fault === undefined) return response
  options.log.error('response breaks the contract', { trace: traceId, fault })
  return {
    status: 500,
    headers: { 'Content-Type': problemType },
    body: JSON.stringify({
      type: 'urn:surrogate:error:internal',
      title: 'The response breaks the contract',
      status: 500,
      detail: fault,
      instance: `urn:surrogate:trace:${encodeURIComponent(traceId)}`,
    }),
  }
}
