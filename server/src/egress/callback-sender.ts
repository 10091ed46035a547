import type { Observer, Work } from '../base/observer.ts'
import { limits } from '../generated/facts.ts'
import { isPublicAddress, literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'
import { type ExchangesOptions, OutgoingRequests } from './exchange.ts'
import type { Sender } from './network.ts'
import { dnsResolve, systemResolve } from './resolve.ts'

export interface CallbackPolicy {
  /** Allows http and private addresses. */
  readonly allowPrivate: boolean
}

/**
 * Checks the text of a callback URL. Returns what is wrong with it, or `undefined`. The addresses of its name are
 * checked whenever something is sent to it.
 *
 * @example
 * checkCallbackUrl('https://hooks.example.org/done', { allowPrivate: false }) // undefined
 * checkCallbackUrl('https://10.0.0.1/', { allowPrivate: false }) // 'must not lead to a private address'
 */
export function checkCallbackUrl(text: string, { allowPrivate }: CallbackPolicy): string | undefined {
  if (text.length > limits.callbackUrlCharacters)
    return `must not be longer than ${limits.callbackUrlCharacters} characters`
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) return allowPrivate ? 'must be https or http' : 'must be https'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (allowPrivate) return undefined
  const literal = literalAddress(url)
  const isPrivate = literal === undefined ? isLoopbackName(url.hostname) : !isPublicAddress(literal)
  return isPrivate ? 'must not lead to a private address' : undefined
}

/** True for names that always mean the local machine (RFC 6761). */
function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname)
}

export interface CallbackSenderOptions extends CallbackPolicy, Omit<ExchangesOptions, 'admission'> {
  /** Real milliseconds from the beginning to the head of the response. */
  readonly timeoutMs?: number
}

interface Callback extends Sender {
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
  const exchanges = new OutgoingRequests({ resolve: allowPrivate ? systemResolve : dnsResolve(), ...options })
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
