import { isPublicAddress } from './addresses.ts'
import { type CallbackPolicy, checkCallbackUrl } from './callback-url.ts'
import { startDeadline } from './deadline.ts'
import { EgressError } from './egress-error.ts'
import { exchange } from './exchange.ts'
import { type Resolve, systemResolve } from './resolve.ts'

/** How long a receiver may take to answer, in real milliseconds. */
const answerWithinMs = 15_000

export interface CallbackSenderOptions extends CallbackPolicy {
  readonly resolve?: Resolve
  /** Real milliseconds from the first packet to the head of the answer. */
  readonly timeoutMs?: number
}

export interface Callback {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

/** Posts to a callback URL and answers the status; of a redirect too, which is not followed. */
export type CallbackSender = (callback: Callback) => Promise<number>

/** @throws {EgressError} by the sender, where there was no answer, or nothing may be sent there */
export function createCallbackSender(options: CallbackSenderOptions): CallbackSender {
  const { allowPrivate, resolve = systemResolve, timeoutMs = answerWithinMs } = options
  return async ({ url, headers, body, signal }) => {
    // What was allowed when the URL was taken need not be allowed now.
    const fault = checkCallbackUrl(url, { allowPrivate })
    if (fault !== undefined) throw new EgressError('policy', `the callback URL ${fault}`)
    const deadline = startDeadline(timeoutMs, signal)
    try {
      const response = await exchange({
        url: new URL(url),
        method: 'POST',
        headers,
        body,
        accepts: address => allowPrivate || isPublicAddress(address),
        resolve,
        signal: deadline.signal,
      })
      // Only the status counts; a body without end must not keep us.
      response.on('error', () => {})
      response.destroy()
      return response.statusCode ?? 0
    } finally {
      deadline.clear()
    }
  }
}
