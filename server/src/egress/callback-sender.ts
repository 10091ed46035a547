import type { Observer, Work } from '../base/observer.ts'
import { limits } from '../generated/facts.ts'
import { isPublicAddress } from './addresses.ts'
import { type CallbackPolicy, checkCallbackUrl } from './callback-url.ts'
import { EgressError } from './egress-error.ts'
import { Exchanges, type ExchangesOptions, type Sender } from './exchange.ts'
import { dnsResolve, systemResolve } from './resolve.ts'

export interface CallbackSenderOptions extends CallbackPolicy, Pick<ExchangesOptions, 'resolve' | 'isOwn'> {
  /** Real milliseconds from the beginning to the head of the response. */
  readonly timeoutMs?: number
}

export interface Callback extends Sender {
  readonly url: string
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
  const { allowPrivate, timeoutMs = limits.webhookReply } = options
  // The runner of jobs limits how many are under way.
  const exchanges = new Exchanges({ resolve: allowPrivate ? systemResolve : dnsResolve(), ...options })
  return async ({ url, headers, body, signal, ...by }) => {
    // The URL was checked when it was accepted; the policy may have changed since.
    const fault = checkCallbackUrl(url, { allowPrivate })
    if (fault !== undefined) throw new EgressError('policy', `the callback URL ${fault}`)
    const exchange = exchanges.begin({ by, timeoutMs, signal })
    try {
      const { status } = await exchange.send({
        url: new URL(url),
        method: 'POST',
        headers,
        body,
        accepts: address => allowPrivate || isPublicAddress(address),
      })
      // Only the status is needed; the body may be endless.
      return status
    } finally {
      exchange.end()
    }
  }
}

const attempt: Work<number> = {
  kind: 'delivery',
  name: 'webhook',
  outcomeOf: status => `${Math.floor(status / 100)}xx`,
}

/** The same sender, with its attempts observed. */
export function observeDelivery(send: CallbackSender, observer: Observer | undefined): CallbackSender {
  return observer ? callback => observer.run(attempt, () => send(callback)) : send
}
