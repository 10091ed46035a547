/**
 * - `policy`: the target is not allowed, as its URL tells
 * - `refused`: nothing may be sent to the address that it stands for
 * - `request`: the request itself cannot be sent
 * - `limit`: too many at once, or too many altogether
 * - `size`: the request or the response is too large
 * - `time`: no answer in time, or nobody waits for it any more
 * - `network`: there was no answer, for whatever reason
 */
export type EgressReason = 'policy' | 'refused' | 'request' | 'limit' | 'size' | 'time' | 'network'

/** A request that went wrong on its way out. The message names neither host nor address. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly reason: EgressReason

  constructor(reason: EgressReason, message: string) {
    super(message)
    this.reason = reason
  }
}
