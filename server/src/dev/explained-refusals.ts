import type { Caller } from '../access/caller.ts'
import type { ServiceError } from '../base/errors.ts'
import type { Explanation } from '../contract/types.ts'
import type { Exchange } from '../http/pipeline/exchange.ts'
import { problemResponse } from '../http/pipeline/problem.ts'
import type { CoreResponse } from '../http/transport/message.ts'
import type { AbsentTokens } from '../tokens/token-parts.ts'
import { explain, RecentlyExpired } from './explanation.ts'
import { type Reason, reasonOf } from './reasons.ts'

/** Refusals that say who asked, the rights, and why. */
export class ExplainedRefusals {
  readonly expired = new RecentlyExpired()
  readonly explanations = new WeakMap<Exchange, Explanation>()
  readonly #nowMs: (tenant: string) => number

  /** @param nowMs the time of a tenant */
  constructor(nowMs: (tenant: string) => number) {
    this.#nowMs = nowMs
  }

  respond(exchange: Exchange, refusal: ServiceError): CoreResponse {
    const reason = this.#reasonOf(exchange.caller, refusal)
    const explanation = explain(exchange, refusal, reason)
    if (explanation) this.explanations.set(exchange, explanation)
    const text = reason.text ?? explanation?.formula?.message
    return problemResponse(refusal, exchange.traceId, text, explanation)
  }

  #reasonOf(caller: Caller | undefined, refusal: ServiceError): Reason {
    const reason = reasonOf(refusal)
    if (!caller || !Object(refusal.cause).absent) return reason
    const nowMs = this.#nowMs(caller.tenant)
    return { ...reason, text: this.expired.reason(caller.tenant, refusal.cause as AbsentTokens, nowMs) }
  }
}
