import type { Caller } from '../access/caller.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import { EgressError } from '../egress/egress-error.ts'
import type { ProxyEgress, ProxyExchange, ProxyResponse } from '../egress/proxy-egress.ts'
import type { ReactorsContext } from '../reactors/reactors-context.ts'
import type { Reaction } from '../webhooks/reaction.ts'
import { type Filled, fill } from './fill.ts'
import { type Headers, headersToSend } from './headers.ts'
import { changedResponse, invoke, type RunSide, reactToRequest, reactToResponse } from './reactors.ts'
import { checkWithin, readTarget, type Target } from './target.ts'
import { callerOfProxy, type NamedProxy, proxyByKey, runTransform } from './use-stored.ts'

/** Limits of proxied requests. Times are in real milliseconds. */
export const proxyLimits = {
  /** From the request to the end of the response, with the reactors between. */
  timeoutMs: 30_000,
  responseBytes: 10 * 1024 * 1024,
  /** The response of a target whose body a reactor or transform gets. */
  reactorBytes: 2 * 1024 * 1024,
} as const

export type ProxyLimits = { readonly [Name in keyof typeof proxyLimits]: number }

interface ProxyContext {
  readonly reactors: ReactorsContext
  readonly egress: ProxyEgress
  readonly limits: ProxyLimits
  /** Of the headers of this server, in lower case. */
  readonly headerPrefix: string
}

/** A request to be sent on. */
interface Forwarded {
  readonly caller: Caller
  /** Takes the place of headers that name a target and reactors. */
  readonly stored?: NamedProxy | undefined
  readonly traceId: string
  readonly method: string
  /** Below `/proxy`, as it was sent; empty or with a slash in front. */
  readonly path: string
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** Calls a function when the caller is gone. */
  readonly onGone: (abort: () => void) => void
}

/** The response of a target as it arrives, what a transform made of it, or the result of a reactor. */
type Proxied =
  | {
      readonly kind: 'passed'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly pieces: AsyncIterable<Uint8Array>
    }
  | {
      readonly kind: 'transformed'
      readonly status: number
      readonly headers: Headers
      readonly body: Uint8Array
    }
  | { readonly kind: 'reacted'; readonly reaction: Reaction }

export class RequestProxy {
  readonly #context: ProxyContext

  constructor(context: ProxyContext) {
    this.#context = context
  }

  /** Returns the stored proxy that a key belongs to. @throws {ServiceError} unauthenticated */
  named(key: string): Promise<NamedProxy> {
    return proxyByKey(this.#context.reactors, key)
  }

  /** Returns the application of a stored proxy. @throws {ServiceError} unauthenticated */
  callerOf(stored: NamedProxy): Promise<Caller> {
    return callerOfProxy(this.#context.reactors, stored)
  }

  /** @throws {EgressError} policy, if requests to this URL are not allowed */
  check(url: URL): void {
    this.#context.egress.check(url)
  }

  /**
   * Sends a request on, with data in the place of expressions.
   * @throws {ServiceError} validation, malformed_json, detokenize_failed, permission_denied, rate_limited, target_failed
   */
  async forward(request: Forwarded): Promise<Proxied> {
    const { url, target } = readTarget(this.#destination(request), request.path, request.query)
    this.#checkTarget(url, request.stored ? 'destination_url' : 'proxy_url')
    const exchange = this.#begin(request)
    try {
      const filled = await this.#fill(request, target)
      if (request.stored) checkWithin(url, filled.url)
      const run = this.#codeOf(request, 'request')
      const { method } = request
      const { headerPrefix } = this.#context
      const sent = run ? await reactToRequest(run, { method, filled, headerPrefix }) : filled
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
    this.#context.egress.close()
  }

  #begin({ caller, onGone }: Forwarded): ProxyExchange {
    const { egress, limits } = this.#context
    try {
      const exchange = egress.begin({ by: caller, timeoutMs: limits.timeoutMs })
      onGone(() => exchange.end())
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
    return headers[`${this.#context.headerPrefix}-proxy-${name}`]
  }

  /** Returns the target. What a stored proxy says cannot be replaced by its callers. @throws {ServiceError} validation */
  #destination(request: Forwarded): string | undefined {
    if (!request.stored) return this.#own(request, 'url')
    for (const name of ['url', 'request-reactor', 'response-reactor']) {
      if (this.#own(request, name) !== undefined)
        throw invalid(
          `proxy_${name.replace('-', '_')}`,
          'cannot be given with the key of a proxy, which has its own',
        )
    }
    return request.stored.value.destination_url
  }

  /** Returns what runs the code for one side of a request, if there is any. */
  #codeOf(request: Forwarded, side: 'request' | 'response'): RunSide | undefined {
    const { caller, stored, traceId } = request
    const { reactors } = this.#context
    if (stored) {
      const transform = stored.value[`${side}_transform`]
      return transform && (args => runTransform(reactors, caller, stored, { ...transform, traceId }, args))
    }
    const reactor = this.#own(request, `${side}-reactor`)
    if (reactor === undefined) return undefined
    return args => invoke(reactors, caller, { reactor, traceId, header: `proxy_${side}_reactor` }, args)
  }

  #checkTarget(url: URL, path: string): void {
    try {
      this.check(url)
    } catch (error) {
      throw error instanceof EgressError
        ? invalid(path, 'names an origin that the operator has not allowed, or a password')
        : error
    }
  }

  /** Puts data into a request, and records that the proxy is used. */
  async #fill(request: Forwarded, target: Target): Promise<Filled> {
    const { caller, stored, body } = request
    const { reactors, headerPrefix } = this.#context
    const headers = headersToSend(request.headers, headerPrefix)
    // Without `require_auth` the application is the caller.
    const isLimited = stored?.value.require_auth && stored.value.application !== undefined
    const limit = isLimited ? await this.callerOf(stored) : undefined
    const filled = await fill(reactors.tokens, caller, { target, headers, body }, limit)
    await reactors.tokens.audit.record(caller.tenant, {
      operation: 'token:use',
      entity_type: 'proxy',
      // An origin that the operator allows contains nothing of the request.
      entity_id: stored?.value.id ?? filled.url.origin,
      actor: caller.application,
      session: caller.session,
    })
    return filled
  }

  async #send(
    { url, headers, body }: Filled,
    method: string,
    exchange: ProxyExchange,
  ): Promise<ProxyResponse> {
    try {
      return await exchange.send({ url, method, headers, body: body.length === 0 ? undefined : body })
    } catch (error) {
      throw error instanceof EgressError ? targetFailed(error) : error
    }
  }

  async #answer(request: Forwarded, response: ProxyResponse): Promise<Proxied> {
    const { limits, headerPrefix } = this.#context
    const { status, headers, body } = response
    const run = this.#codeOf(request, 'response')
    if (!run) return { kind: 'passed', status, headers, pieces: body(limits.responseBytes) }
    const pieces = body(limits.reactorBytes)
    const { reaction, before } = await reactToResponse(run, { status, headers, pieces })
    if (!request.stored || reaction.kind === 'custom') return { kind: 'reacted', reaction }
    return { kind: 'transformed', status, ...changedResponse(before, reaction.raw, headerPrefix) }
  }
}

/** Says as much as helps an operator, and nothing of the request. */
function targetFailed({ reason }: EgressError): ServiceError {
  const sentence =
    reason === 'refused'
      ? 'the target has no public address, or is this server; the operator can map its origin to a private address'
      : reason === 'size'
        ? 'the response of the target is too long for a reactor'
        : 'the target did not respond, or not in time'
  return new ServiceError('target_failed', sentence)
}
