import type { Caller } from '../access/caller.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { RequestPlaces } from '../base/flow/request-places.ts'
import type { Turns } from '../base/flow/turns.ts'
import { EgressError } from '../egress/egress-error.ts'
import type { ProxiedRequest, ProxyEgress, ProxyResponse } from '../egress/proxy-egress.ts'
import type { Reactors } from '../reactors/reactors.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { Reaction } from '../webhooks/reaction.ts'
import { type Filled, fill } from './fill.ts'
import { headersToSend } from './headers.ts'
import { type NamedReactor, reactToRequest, reactToResponse } from './reactors.ts'
import { readTarget, type Target } from './target.ts'

/** Limits of proxied requests. Times are in real milliseconds. */
export const proxyLimits = {
  /** From the request to the end of the response, with the reactors between. */
  timeoutMs: 30_000,
  responseBytes: 10 * 1024 * 1024,
  /** The response of a target whose body a reactor gets. */
  reactorBytes: 2 * 1024 * 1024,
} as const

export type ProxyLimits = { readonly [Name in keyof typeof proxyLimits]: number }

interface ProxyParts {
  readonly reactors: Reactors
  readonly tokens: Tokens
  readonly audit: Pick<AuditRecorder, 'record'>
  readonly egress: ProxyEgress
  /** In which the requests of each tenant are filled. */
  readonly places: RequestPlaces
  readonly turns: Turns
  readonly limits: ProxyLimits
  /** Of the headers of this server, in lower case. */
  readonly headerPrefix: string
}

/** A request to be sent on. */
interface Forwarded {
  readonly caller: Caller
  readonly traceId: string
  readonly method: string
  /** Below `/proxy`, as it was sent; empty or with a slash in front. */
  readonly path: string
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** Calls a function when the caller is gone. */
  readonly onDisconnect: (abort: () => void) => void
}

/** The response of a target as it arrives, or the result of a reactor. */
type Proxied =
  | {
      readonly kind: 'passed'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly pieces: AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'reacted'; readonly reaction: Reaction }

export class RequestProxy {
  readonly #parts: ProxyParts

  constructor(parts: ProxyParts) {
    this.#parts = parts
  }

  /**
   * Sends a request on, with data in the place of expressions.
   * @throws {ServiceError} validation, malformed_json, detokenize_failed, permission_denied, rate_limited, target_failed
   */
  async forward(request: Forwarded): Promise<Proxied> {
    const { url, target } = readTarget(this.#own(request, 'url'), request.path, request.query)
    this.#checkTarget(url, request)
    const exchange = this.#begin(request)
    try {
      const filled = await this.#inPlace(request, () => this.#fill(request, target))
      const named = this.#reactorOf(request, 'request')
      const { method } = request
      const { headerPrefix } = this.#parts
      const sent = named ? await reactToRequest(named, { method, filled, headerPrefix }) : filled
      if ('kind' in sent) {
        exchange.end()
        return { kind: 'reacted', reaction: sent }
      }
      const response = await this.#send({ ...filled, ...sent }, method, exchange)
      return await this.#answer(request, response)
    } catch (error) {
      exchange.end()
      throw error
    }
  }

  /** Ends all that is under way. */
  close(): void {
    this.#parts.egress.close()
  }

  #begin({ caller, onDisconnect }: Forwarded): ProxiedRequest {
    const { egress, limits } = this.#parts
    try {
      const exchange = egress.begin({ by: caller, timeoutMs: limits.timeoutMs })
      onDisconnect(() => exchange.end())
      return exchange
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      throw new ServiceError(
        'rate_limited',
        'too many requests are waiting for their targets; try again in a while',
        { headers: { 'Retry-After': '1' } },
      )
    }
  }

  /** Returns a header that is for the proxy itself. */
  #own({ headers }: Forwarded, name: string): string | undefined {
    return headers[`${this.#parts.headerPrefix}-proxy-${name}`]
  }

  /** Returns the reactor for one side of a request, if there is one. */
  #reactorOf(request: Forwarded, side: 'request' | 'response'): NamedReactor | undefined {
    const reactor = this.#own(request, `${side}-reactor`)
    if (reactor === undefined) return undefined
    const { caller, traceId } = request
    const { reactors, turns } = this.#parts
    const pass = () => turns.pass(caller)
    return { reactors, caller, traceId, reactor, header: `proxy_${side}_reactor`, pass }
  }

  #checkTarget(url: URL, { caller }: Forwarded): void {
    try {
      this.#parts.egress.check(url, caller)
    } catch (error) {
      throw error instanceof EgressError
        ? invalid(
            'proxy_url',
            'names an origin that the operator has not allowed, or a password',
            new TargetNotAllowed(),
          )
        : error
    }
  }

  /** The wait for the target needs no place. */
  async #inPlace<T>({ caller, body }: Forwarded, task: () => Promise<T>): Promise<T> {
    const { places, turns } = this.#parts
    const inTurn = async () => {
      await turns.pass(caller)
      return task()
    }
    return places.for('short', body.length)?.run(caller, inTurn) ?? inTurn()
  }

  /** Puts data into a request, and records that it is sent on. */
  async #fill(request: Forwarded, target: Target): Promise<Filled> {
    const { caller, body } = request
    const { tokens, audit, headerPrefix, turns } = this.#parts
    const headers = headersToSend(request.headers, headerPrefix)
    const filled = await fill(tokens, turns, caller, { target, headers, body })
    await audit.record(caller.tenant, {
      operation: 'token:use',
      entity_type: 'proxy',
      // An origin that the operator allows contains nothing of the request.
      entity_id: filled.url.origin,
      actor: caller.application,
      session: caller.session,
    })
    return filled
  }

  async #send(
    { url, headers, body }: Filled,
    method: string,
    exchange: ProxiedRequest,
  ): Promise<ProxyResponse> {
    try {
      return await exchange.send({ url, method, headers, body: body.length === 0 ? undefined : body })
    } catch (error) {
      throw error instanceof EgressError ? targetFailed(error, url) : error
    }
  }

  async #answer(request: Forwarded, response: ProxyResponse): Promise<Proxied> {
    const { limits } = this.#parts
    const { status, headers, body } = response
    const named = this.#reactorOf(request, 'response')
    if (!named) return { kind: 'passed', status, headers, pieces: body(limits.responseBytes) }
    const pieces = body(limits.reactorBytes)
    return { kind: 'reacted', reaction: await reactToResponse(named, { status, headers, pieces }) }
  }
}

/** Says as much as helps an operator, and nothing of the request. */
function targetFailed(failure: EgressError, { origin }: URL): ServiceError {
  const { reason } = failure
  const sentence =
    reason === 'refused'
      ? 'the target has no public address, or is this server; the operator can map its origin to a private address'
      : reason === 'size'
        ? 'the response of the target is too long for a reactor'
        : 'the target did not respond, or not in time'
  return new ServiceError('target_failed', sentence, { cause: new TargetFailed(origin, failure) })
}

/** The cause of a refused target. */
export class TargetNotAllowed {}

/** The cause of a failed request to a target: what only an operator may know. */
export class TargetFailed {
  readonly origin: string
  readonly failure: EgressError

  constructor(origin: string, failure: EgressError) {
    this.origin = origin
    this.failure = failure
  }
}
