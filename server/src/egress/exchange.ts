import { lookup as systemLookup } from 'node:dns/promises'
import { setMaxListeners } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { clearTimeout, setTimeout } from '../base/real-time.ts'
import { literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'

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

/** A time limit that also ends with another signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Removes the timer and the listener of the other signal. */
  clear(): void
}

/**
 * Returns a signal that aborts after real milliseconds, or when `other` does. Unlike those of `AbortSignal.timeout`,
 * its timer keeps the process alive until the request has ended.
 */
export function startDeadline(ms: number, other: AbortSignal): Deadline {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  if (other.aborted) abort()
  else {
    // All open requests of an invocation listen to its signal; without this, Node would warn of a leak.
    setMaxListeners(0, other)
    other.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer)
      other.removeEventListener('abort', abort)
    },
  }
}

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Resolves a name to its addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

export const systemResolve: Resolve = hostname => systemLookup(hostname, { all: true })

/**
 * Returns a lookup function for a socket that only returns accepted addresses. The socket connects to these
 * addresses, so a name cannot resolve to another one between the check and the connection.
 */
export function guardedLookup(resolve: Resolve, accepts: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    const answer = async () => {
      const found = await resolve(hostname)
      const passed = found.filter(({ address }) => accepts(address))
      const first = passed[0]
      if (!first) throw new EgressError('refused', 'the name has no allowed address')
      return { first, passed }
    }
    answer().then(
      ({ first, passed }) => {
        if (options.all) done(null, [...passed])
        else done(null, first.address, first.family)
      },
      error => done(error, '', 0),
    )
  }
}
