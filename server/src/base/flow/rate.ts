import { ServiceError } from '../errors.ts'
import type { Clock } from '../time/clock.ts'
import type { Admission, Lease, Party } from './admission.ts'

const spanMs = 60_000

/** Admits so much work in a minute, however short it is: what was admitted is released when the minute is over. */
export class Rate {
  readonly #admission: Admission
  readonly #clock: Pick<Clock, 'at' | 'nowMs'>
  #leases: Lease[] = []
  #endMs = 0

  constructor(admission: Admission, clock: Pick<Clock, 'at' | 'nowMs'>) {
    this.#admission = admission
    this.#clock = clock
  }

  /** @throws {ServiceError} rate_limited, with the time that is left of the minute */
  demand(party: Party): void {
    const lease = this.#admission.take(party)
    if (!lease) {
      const seconds = Math.min(
        Math.max(Math.ceil((this.#endMs - this.#clock.nowMs()) / 1000), 1),
        spanMs / 1000,
      )
      throw new ServiceError('rate_limited', `too many ${this.#admission.work} in this minute`, {
        headers: { 'Retry-After': `${seconds}` },
      })
    }
    if (this.#leases.length === 0) {
      this.#endMs = this.#clock.nowMs() + spanMs
      this.#clock.at(this.#endMs, async () => {
        for (const ended of this.#leases.splice(0)) ended.release()
      })
    }
    this.#leases.push(lease)
  }
}
