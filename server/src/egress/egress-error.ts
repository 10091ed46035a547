/**
 * - `policy`: the URL is not allowed
 * - `refused`: the address is not allowed
 * - `request`: the request cannot be sent
 * - `limit`: too many requests at once, or in total
 * - `size`: the request or the response is too large
 * - `time`: no response in time, or aborted by the caller
 * - `network`: no response, for any other reason
 * - `development`: refused by a development server, whose message is for whoever has sent the request
 */
type EgressReason = 'policy' | 'refused' | 'request' | 'limit' | 'size' | 'time' | 'network' | 'development'

/** An outgoing request failed. The message names neither host nor address. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly reason: EgressReason

  /** @param cause what Node says, which may name host and address: for developers only */
  constructor(reason: EgressReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
