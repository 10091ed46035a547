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
  /** Called for each address, literal or resolved, before anything is sent to it. */
  readonly accepts: (address: string) => boolean
  readonly resolve: Resolve
  /** Ends the exchange, including the body of the response. */
  readonly signal: AbortSignal
}

/**
 * Sends one request over a new connection, and resolves with the head of the response. Connections are not reused:
 * the next request may be of another tenant, or the address may have changed.
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
      // Node throws a TypeError for a request that is not valid HTTP, such as a line break in a header.
      refuse(error instanceof TypeError ? new EgressError('request', 'the request is not valid HTTP') : error)
    }
  })
}

/** Converts an error to one whose message may be shown. */
export function toEgressError(error: unknown, signal: AbortSignal): EgressError {
  if (error instanceof EgressError) return error
  if (signal.aborted) return new EgressError('time', 'no response in time')
  return new EgressError('network', 'network error')
}
