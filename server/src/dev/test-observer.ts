import type { Caller } from '../access/caller.ts'
import { NotOfOurs, ServiceError } from '../base/errors.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { monotonicMs } from '../base/time/real-time.ts'
import { isProxied } from '../contract/contract.ts'
import type { Explanation } from '../contract/types.ts'
import { Exchange, type Respond } from '../http/pipeline/exchange.ts'
import type { HeaderNames } from '../http/pipeline/header-names.ts'
import type { InFlight } from '../http/pipeline/in-flight.ts'
import { bytesOf, type CoreResponse } from '../http/transport/message.ts'
import { joinPieces } from '../http/transport/page-pieces.ts'
import { codeOf, type Fault, type Faults, gatewayStatuses } from './faults.ts'
import type { Journal } from './journal.ts'
import type { Leaks } from './leaks/leaks.ts'
import { redact } from './redact.ts'
import { RequestNotes } from './request-notes.ts'
import { isStream } from './streams.ts'
import type { UnknownMembers } from './unknown-members.ts'

/** For as long a request without a response is held. */
const longestHoldMs = 60_000

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Watches the requests of a development server, except those to its own endpoints. */
export interface TestObserver {
  /** Called when the caller is known. May wait, or throw the error that the request fails with. */
  identified(exchange: Exchange): void | Promise<void>
  /** Called when the body is read. Otherwise like `identified`. */
  parsed(exchange: Exchange): void | Promise<void>
  /** Runs a request, or another one in its place, and resolves with the response to send. */
  observe(exchange: Exchange, run: Respond): Promise<CoreResponse>
  /** True if a test has ordered that it fails. */
  isFaulty(exchange: Exchange): boolean
}

interface Tools {
  readonly faults: Faults
  readonly journal: Journal
  readonly leaks: Leaks
  readonly idleness: InFlight
  readonly notes: WeakMap<Caller, RequestNotes>
  readonly explanations: WeakMap<Exchange, Explanation>
  readonly unknownMembers: UnknownMembers
  /** The time of a tenant. */
  nowMs(tenant: string): number
  readonly headerNames: HeaderNames
}

/** Lets requests of a development server fail as tests have ordered, and records them. */
export function createTestObserver(tools: Tools): TestObserver {
  const { faults, journal, idleness } = tools
  const ordered = new WeakMap<Exchange, Fault>()
  return {
    identified: exchange => {
      const { caller, request, traceId } = exchange
      if (caller) {
        exchange.caller = { ...caller }
        tools.notes.set(exchange.caller, new RequestNotes(traceId, listener => request.onClose(listener)))
      }
      return fail(exchange)
    },
    parsed: fail,
    isFaulty: exchange => ordered.has(exchange),
    observe: (exchange, run) => {
      const { delegation } = exchange.request
      // A request of a formula is part of one that is under way.
      return idleness.during(() => performMaybeTwice(exchange, run), delegation !== undefined)
    },
  }

  async function performMaybeTwice(exchange: Exchange, run: Respond): Promise<CoreResponse> {
    const response = await perform(exchange, run)
    const fault = ordered.get(exchange)
    const again = fault?.duplicate ? duplicateOf(exchange) : undefined
    if (!again || !fault) return response
    ordered.set(again, fault)
    return perform(again, run)
  }

  async function perform(exchange: Exchange, run: Respond): Promise<CoreResponse> {
    const startMs = monotonicMs()
    const made = await run(exchange)
    const fault = ordered.get(exchange)
    const response = (fault && gatewayResponse(fault)) ?? made
    record(exchange, response, monotonicMs() - startMs)
    warn(exchange, response)
    return fault ? await failing(exchange, fault, response) : response
  }

  /** Lets a request fail if a test has ordered it. The body counts if it is read. */
  async function fail(exchange: Exchange): Promise<void> {
    const { operation, caller, rawParameters, traceId, body } = exchange
    if (!operation || !caller || ordered.has(exchange)) return
    const fault = faults.take({
      on: 'request',
      tenant: caller.tenant,
      operation: operation.id,
      id: rawParameters?.id,
      application: caller.application,
      traceId,
      body,
    })
    if (!fault) return
    ordered.set(exchange, fault)
    if (fault.latency !== undefined) await hold(exchange, fault.latency)
    // These responses are not sent: `observe` replaces them.
    const isReplaced = fault.drop === 'before' || fault.timeout === 'before' || gatewayResponse(fault)
    if (isReplaced) throw errorOf(fault, 503)
    if (fault.status !== undefined) throw errorOf(fault, fault.status)
  }

  function warn({ operation, caller, body }: Exchange, { headers }: CoreResponse): void {
    if (!operation || !caller || body === undefined) return
    const warning = tools.unknownMembers.warn(operation, body, tools.notes.get(caller))
    if (warning !== undefined) headers[tools.headerNames.warning] = warning
  }

  /** Waits with a request as long as its caller does. */
  async function hold({ caller, request }: Exchange, ms: number): Promise<void> {
    if (caller) await faults.wait(caller.tenant, ms, listener => request.onClose(listener))
  }

  async function failing(exchange: Exchange, fault: Fault, response: CoreResponse): Promise<CoreResponse> {
    const { drop, timeout, truncate, malformed, bytes_per_second: rate } = fault
    if (timeout !== undefined) await hold(exchange, longestHoldMs)
    const isCut = drop !== undefined || timeout !== undefined
    // As a connection fails: the client of a formula repeats what it can.
    if (isCut || (truncate !== undefined && exchange.request.delegation)) throw connectionClosed()
    // The whole body of a stream would be waited for.
    if ((truncate === undefined && !malformed && rate === undefined) || isStream(response.headers))
      return response
    const { pieces, body: made, ...rest } = response
    const body = pieces ? await joinPieces(pieces) : made
    const bytes = bytesOf({ ...rest, body: body ?? '' })
    if (truncate !== undefined) {
      const headers = { ...rest.headers, 'Content-Length': String(bytes.length) }
      return { ...rest, headers, pieces: cut(bytes, truncate) }
    }
    if (body === undefined) return rest
    const whole = { ...rest, body }
    if (malformed) return { ...rest, body: bytes.subarray(0, bytes.length >> 1) }
    // A formula gets its response in one message.
    if (rate === undefined || exchange.request.delegation) return whole
    const tenant = exchange.caller?.tenant ?? ''
    // One listener for all pieces: the caller's signal takes no more than ten without a warning.
    let [isGone, leave] = [false, () => {}]
    exchange.request.onClose(() => {
      isGone = true
      leave()
    })
    const wait = async (ms: number) => {
      if (isGone || !faults.isOrdered(tenant, fault)) return
      await faults.wait(tenant, ms, listener => {
        leave = listener
      })
    }
    return { ...rest, pieces: slowly(bytes, rate, wait) }
  }

  function record(exchange: Exchange, response: CoreResponse, durationMs: number): void {
    const { operation, caller, parameters, rawParameters, body, traceId, request, refusal } = exchange
    const explanation = tools.explanations.get(exchange)
    const fault = ordered.get(exchange)
    if (!operation || !caller) return
    const { masks = [] } = tools.notes.get(caller) ?? {}
    const idempotencyKey = request.headers[tools.headerNames.idempotency]
    const isUnanswered = fault?.drop !== undefined || fault?.timeout !== undefined
    // Only the id of something that is there, or one that can be nothing else: anything can be put into a path.
    const known = (name: string) => {
      const given = parameters?.[name] ?? rawParameters?.[name]
      return given !== undefined && (response.status < 400 || uuid.test(given)) ? given : undefined
    }
    const id = known('id')
    const recorded = {
      at: new Date(tools.nowMs(caller.tenant) - durationMs).toISOString(),
      operation: operation.id,
      method: operation.method,
      path: operation.path.replace(
        /{(\w+)}/g,
        (unknown, name) => encodeURIComponent(known(name) ?? '') || unknown,
      ),
      ...(id === undefined ? {} : { id }),
      application_id: caller.application,
      ...(caller.session === undefined ? {} : { session: caller.session }),
      ...(request.delegation ? { formula: true } : {}),
      ...(isUnanswered ? {} : { status: response.status }),
      ...(refusal && !isUnanswered && !(fault && gatewayResponse(fault))
        ? { error: `urn:surrogate:error:${refusal.code}` }
        : {}),
      duration_ms: Math.round(durationMs * 1000) / 1000,
      trace_id: traceId,
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      ...(fault ? { faulty: true } : {}),
      ...(body === undefined ? {} : { body: redact(body) }),
      ...(explanation && !isUnanswered ? { explanation: withoutWords(explanation) } : {}),
      ...(masks.length > 0 ? { masks } : {}),
    }
    journal.add(caller.tenant, recorded, { path: request.path, body })
    if (body !== undefined) {
      const { answer } = exchange
      tools.leaks.seen.add(
        caller.tenant,
        operation.id,
        body,
        isObject(answer?.body) ? answer.body : undefined,
      )
    }
  }
}

/**
 * Returns the same request once more; `undefined` if it cannot be made again: its body was not read, or its key is not
 * its own.
 */
function duplicateOf({ request, operation, bytes, traceId }: Exchange): Exchange | undefined {
  if (!operation || isProxied(operation) || request.delegation) return undefined
  if (operation.bodyType !== undefined && !bytes) return undefined
  const { method, path, query, headers, peer, isGone } = request
  const readBody = async () => bytes ?? new Uint8Array()
  const onClose = (listener: () => void) => request.onClose(listener)
  const parts = { method, path, query, headers, peer, isGone, readBody, onClose, holdResponse: () => {} }
  return new Exchange(parts, traceId)
}

/** Leaves out the words of a formula, which may contain data. */
function withoutWords({ formula: _, ...rest }: Explanation): Explanation {
  return rest
}

/** Returns the page that a gateway in front of the server would send. */
function gatewayResponse({ status = 0, retry_after }: Fault): CoreResponse | undefined {
  const reason = gatewayStatuses[status]
  if (reason === undefined) return undefined
  return {
    status,
    headers: {
      'Content-Type': 'text/html',
      ...(retry_after === undefined ? {} : { 'Retry-After': String(retry_after) }),
    },
    body: `<html><body><h1>${status} ${reason}</h1></body></html>`,
  }
}

/** The time between two pieces of a slow body, in real milliseconds. */
const pieceMs = 100

/** Yields bytes at a rate. @throws {Error} after the time for which requests are held, so that the rest is cut off */
async function* slowly(
  bytes: Uint8Array,
  bytesPerSecond: number,
  wait: (ms: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const size = Math.max(1, Math.floor((bytesPerSecond * pieceMs) / 1000))
  const everyMs = (size * 1000) / bytesPerSecond
  const endMs = monotonicMs() + longestHoldMs
  for (let at = 0; at < bytes.length; at += size) {
    await wait(everyMs)
    if (monotonicMs() > endMs) throw new Error('a slow body took too long')
    yield bytes.subarray(at, at + size)
  }
}

function errorOf({ retry_after }: Fault, status: number): ServiceError {
  const seconds = retry_after ?? (status === 503 ? 1 : undefined)
  return new ServiceError(codeOf(status) ?? 'internal', 'a test has ordered this fault', {
    ...(seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } }),
    cause: new NotOfOurs(),
  })
}

/** The error with which `fetch` of Node rejects if the server closes the connection. */
function connectionClosed(): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  })
}

/** Yields the beginning of a body, and then closes the connection. */
async function* cut(whole: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  // Also an empty piece makes the head be sent.
  yield whole.subarray(0, bytes)
  await nextTurn()
  throw new TypeError('terminated', { cause: connectionClosed().cause })
}
