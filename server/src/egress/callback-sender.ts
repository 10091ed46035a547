import { limits } from '../generated/facts.ts'
import { isPublicAddress } from './addresses.ts'
import { type CallbackPolicy, checkCallbackUrl } from './callback-url.ts'
import { EgressError } from './egress-error.ts'
import { exchange, type Resolve, startDeadline, systemResolve } from './exchange.ts'

export interface CallbackSenderOptions extends CallbackPolicy {
  readonly resolve?: Resolve
  /** Real milliseconds from the first packet to the head of the response. */
  readonly timeoutMs?: number
}

export interface Callback {
  readonly url: string
  readonly tenant: string
  readonly reactor: string
  readonly traceId: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

/**
 * Posts to a callback URL and resolves with the status. Redirects are not followed.
 * @throws {EgressError} if there was no response, or the target is not allowed
 */
export type CallbackSender = (callback: Callback) => Promise<number>

export function createCallbackSender(options: CallbackSenderOptions): CallbackSender {
  const { allowPrivate, resolve = systemResolve, timeoutMs = limits.webhookReply } = options
  return async ({ url, headers, body, signal }) => {
    // The URL was checked when it was accepted; the policy may have changed since.
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
      // Only the status is needed; the body may be endless.
      response.on('error', () => {})
      response.destroy()
      return response.statusCode ?? 0
    } finally {
      deadline.clear()
    }
  }
}
