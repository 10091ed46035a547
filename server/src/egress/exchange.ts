import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'
import { guardedLookup, type Resolve } from './resolve.ts'

export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Asked of each address before anything is sent to it, be it written in the URL or behind a name. */
  readonly accepts: (address: string) => boolean
  readonly resolve: Resolve
  /** Ends the exchange, the response's body included. */
  readonly signal: AbortSignal
}

/**
 * Sends one request over a connection of its own, and resolves with the head of the response. Connections
 * are not kept: the next one may go to another tenant's target, or to an address that changed.
 * @throws {EgressError}
 */
export function exchange(outgoing: Outgoing): Promise<IncomingMessage> {
  const { url, method, headers, body, accepts, resolve, signal } = outgoing
  const literal = literalAddress(url)
  if (literal !== undefined && !accepts(literal)) {
    return Promise.reject(new EgressError('refused', 'the address is not allowed'))
  }
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((done, fail) => {
    const refuse = (error: unknown) => fail(toEgressError(error, signal))
    try {
      const sent = request({
        protocol: url.protocol,
        hostname: literal ?? url.hostname,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        method,
        headers,
        agent: false,
        lookup: guardedLookup(resolve, accepts),
        signal,
      })
      sent.once('response', done)
      sent.on('error', refuse)
      sent.end(body)
    } catch (error) {
      // Node refuses what would not be HTTP, such as a line break in a header.
      refuse(isInvalid(error) ? new EgressError('request', 'the request cannot be sent') : error)
    }
  })
}

function isInvalid(error: unknown): boolean {
  return error instanceof TypeError
}

/** What of an error may be known outside. */
export function toEgressError(error: unknown, signal: AbortSignal): EgressError {
  if (error instanceof EgressError) return error
  if (signal.aborted) return new EgressError('time', 'there was no answer in time')
  return new EgressError('network', 'network error')
}
