import type { Observer } from '../../base/observer.ts'
import type { Respond } from './exchange.ts'

/** Tells an observer, if there is one, of each request, and how it ended. */
export function observed(observer: Observer | undefined, respond: Respond): Respond {
  if (!observer) return respond
  return async exchange => {
    const { request, traceId } = exchange
    // What a formula asks for is part of the request that runs it.
    if (request.delegation) return respond(exchange)
    const { method, peer, headers } = request
    const begun = observer.request({ traceparent: headers.traceparent })
    exchange.observed = begun
    const response = await respond(exchange)
    const { operation, caller, refusal } = exchange
    begun.end({ operation, caller, status: response.status, traceId, method, error: refusal?.code, peer })
    return response
  }
}
