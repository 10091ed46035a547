import type { Lease, Party } from '../../base/flow/admission.ts'
import type { Admissions } from '../../base/flow/admissions.ts'
import type { ConnectionLimits } from '../../base/limits.ts'

interface Ending {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The kinds of memory that a request takes. */
type Kind = 'requestBytes' | 'responseBytes'

/**
 * The memory that one request takes of its caller's shares, until its response closes. The first bytes of its body, and
 * of its response, are free, so that small requests never fail because of large ones.
 */
export class RequestShares {
  readonly #admissions: Admissions
  readonly #free: Readonly<Record<Kind, number>>
  readonly #response: Ending
  readonly #leases: Partial<Record<Kind, Lease>> = {}
  readonly #bytes: Record<Kind, number> = { requestBytes: 0, responseBytes: 0 }
  #party: Party

  constructor(admissions: Admissions, limits: ConnectionLimits, response: Ending, peer: string) {
    this.#admissions = admissions
    this.#free = { requestBytes: limits.freeBodyBytes, responseBytes: limits.freeResponseBytes }
    this.#response = response
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
    // Nothing would give back what is taken for a response that has closed.
    if (this.#response.destroyed) return
    const before = Math.max(0, this.#bytes[kind] - this.#free[kind])
    this.#bytes[kind] += bytes
    const more = Math.max(0, this.#bytes[kind] - this.#free[kind]) - before
    if (more === 0) return
    const lease = this.#leases[kind]
    const admission = this.#admissions[kind]
    if (!lease) this.#keep(kind, admission.demand(this.#party, more))
    else if (!lease.add(more)) throw admission.refusal(admission.full(this.#party, more))
  }

  #keep(kind: Kind, lease: Lease): void {
    this.#leases[kind] = lease
    this.#response.once('close', () => lease.release())
  }
}
