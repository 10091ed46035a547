import { ServiceError } from '../../base/errors.ts'
import type { Lease, Party } from '../../base/flow/admission.ts'
import type { Admissions } from '../../base/flow/admissions.ts'
import { type ConnectionLimits, connectionLimits } from '../../base/limits.ts'
import { problemResponse } from '../pipeline/problem.ts'
import { type CoreRequest, type CoreResponse, lengthOf } from './message.ts'

/** The kinds of memory that a request takes. */
type Kind = 'requestBytes' | 'responseBytes'

/**
 * The memory that one request takes of its caller's shares, until it is worked on no more and its response has closed:
 * who hangs up early has it still. The first bytes of its body, and of its response, are free, so that small requests
 * never fail because of large ones.
 */
export class RequestShares {
  readonly #admissions: Admissions
  readonly #free: Readonly<Record<Kind, number>>
  readonly #leases: Partial<Record<Kind, Lease>> = {}
  readonly #bytes: Record<Kind, number> = { requestBytes: 0, responseBytes: 0 }
  #party: Party
  #isReleased = false

  constructor(admissions: Admissions, limits: ConnectionLimits, peer: string) {
    this.#admissions = admissions
    this.#free = { requestBytes: limits.freeBodyBytes, responseBytes: limits.freeResponseBytes }
    this.#party = { peer }
  }

  /**
   * Counts what is taken from now on for the caller, too.
   * @throws {ServiceError} rate_limited, if its unread responses have left no room for the last one
   */
  identify({ tenant, application, session }: Party): void {
    this.#party = { tenant, application, session, peer: this.#party.peer }
    const { responseBytes } = this.#admissions
    if (responseBytes.isExhausted(this.#party)) {
      throw responseBytes.refusal(session === undefined ? 'application' : 'session')
    }
  }

  /** Takes memory for further bytes. @throws {ServiceError} rate_limited, unavailable */
  take(kind: Kind, bytes: number): void {
    // Nothing would give it back. The next piece of a response that has closed is not sent.
    if (this.#isReleased) return
    const before = Math.max(0, this.#bytes[kind] - this.#free[kind])
    this.#bytes[kind] += bytes
    const more = Math.max(0, this.#bytes[kind] - this.#free[kind]) - before
    if (more === 0) return
    const lease = this.#leases[kind]
    const admission = this.#admissions[kind]
    if (!lease) this.#leases[kind] = admission.demand(this.#party, more)
    else if (!lease.add(more)) throw admission.refusal(admission.full(this.#party, more))
  }

  release(): void {
    this.#isReleased = true
    this.#leases.requestBytes?.release()
    this.#leases.responseBytes?.release()
  }
}

/**
 * Takes memory for a response until its receiver has taken it. Without memory, the response to a read becomes a refusal.
 * Any other connection is closed without a response, because what the request has changed must not look undone.
 */
export function reserve(
  request: CoreRequest,
  response: CoreResponse,
  { isRead, traceId }: { readonly isRead: boolean; readonly traceId: string },
): CoreResponse {
  const { pieces, isShared } = response
  if (isShared) return response
  try {
    request.reserve?.(pieces ? connectionLimits.pieceBytes : lengthOf(response))
    return response
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    void pieces?.[Symbol.asyncIterator]().return?.()
    return isRead ? problemResponse(error, traceId) : { ...response, cutAfter: 'nothing' }
  }
}
