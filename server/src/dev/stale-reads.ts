import type { Exchange } from '../http/pipeline/exchange.ts'
import { type CoreResponse, lengthOf } from '../http/transport/message.ts'
import type { Fault } from './check-fault.ts'

/** As the contract says. */
const mostResponses = 100
const mostBytes = 100_000

interface Kept {
  readonly response: CoreResponse
  readonly atMs: number
}

/** Repeats the first response of a read, as a copy of the data that lags behind. */
export class StaleReads {
  /** By the fault that has ordered it, with which they are forgotten. */
  readonly #kept = new WeakMap<Fault, Map<string, Kept>>()

  /** Returns the response to send: an earlier one, if there is one within the bound, or the one that was made. */
  respond(fault: Fault, { request, caller }: Exchange, made: CoreResponse, nowMs: number): CoreResponse {
    const isAllowed = made.status === 200 || made.status === 404
    if (fault.stale_ms === undefined || request.method !== 'GET' || !isAllowed || made.pieces) return made
    const kept = this.#kept.get(fault) ?? new Map<string, Kept>()
    this.#kept.set(fault, kept)
    const key = JSON.stringify([caller?.application, caller?.session, request.path, request.query])
    const found = kept.get(key)
    if (found && nowMs >= found.atMs && nowMs - found.atMs < fault.stale_ms) return copyOf(found.response)
    if (lengthOf(made) <= mostBytes && (found || kept.size < mostResponses)) {
      kept.set(key, { response: copyOf(made), atMs: nowMs })
    }
    return made
  }
}

/** Headers are added to each response. */
const copyOf = (response: CoreResponse): CoreResponse => ({ ...response, headers: { ...response.headers } })
