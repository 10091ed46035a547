import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import type { Party } from '../base/flow/admission.ts'
import { type IsOwn, literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'
import { type HeaderFields, sendableHeaders } from './headers.ts'
import { guardedLookup, type Resolve, systemResolve } from './resolve.ts'

/** The head of a response may have this many bytes. */
const headBytes = 16 * 1024
/** A target may send this many interim responses (1xx) before its response. */
const mostInterim = 20

export interface NetworkOptions {
  readonly resolve?: Resolve | undefined
  readonly isOwn?: IsOwn | undefined
}

/** Whose exchange it is. */
export type Sender = Pick<Party, 'application' | 'session'> & {
  readonly tenant: string
  /** The reactor whose formula sends, or whose answer is delivered. */
  readonly reactor?: string
  readonly traceId?: string
}

export interface Message {
  /** As its sender knows it. */
  readonly url: URL
  readonly method: string
  readonly headers: HeaderFields
  readonly body?: Uint8Array | undefined
}

export interface Outgoing extends Message {
  /** Where it is sent, if not to `url`. */
  readonly to?: URL | undefined
  /** True if it must not be sent: only what is put around the network may respond. */
  readonly isOffline?: boolean
  /** The content codings that the response may have. */
  readonly acceptEncoding?: string | undefined
  /** True for an address, literal or resolved, that the request may be sent to. */
  accepts(address: string): boolean
}

/** A request on its way. */
export interface Sent extends Outgoing {
  readonly by: Sender
  /** Ends all of it when it is aborted, also the body of the response. */
  readonly signal: AbortSignal
}

/** A response whose head has arrived. */
export interface Head {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

/**
 * Sends a request over a connection of its own, and resolves with the head of the response. Connections are not reused: the
 * next request may be of another tenant, or the address may have changed.
 */
export type Wire = (sent: Sent) => Promise<Head>

/** Sends requests over new connections to allowed addresses. */
export function network(options: NetworkOptions): Wire {
  return async outgoing => {
    if (outgoing.isOffline) throw new EgressError('policy', 'this origin is not allowed')
    const response = await headOf(open(outgoing, options), outgoing.signal)
    return { status: response.statusCode ?? 0, headers: response.headers, body: response }
  }
}

/** Opens a connection to an allowed address, and sends a request. */
function open(
  { url: known, to: url = known, method, headers, acceptEncoding, body, accepts, signal }: Sent,
  { resolve = systemResolve, isOwn }: NetworkOptions,
): ClientRequest {
  const isSecure = url.protocol === 'https:'
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  const isAllowed = (address: string) => accepts(address) && !isOwn?.(address, port)
  const literal = literalAddress(url)
  if (literal !== undefined && !isAllowed(literal))
    throw new EgressError('refused', 'the address is not allowed')
  const request = (isSecure ? requestHttps : requestHttp)({
    hostname: literal ?? url.hostname,
    port,
    path: `${url.pathname}${url.search}`,
    method,
    headers: {
      ...sendableHeaders(headers),
      ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
      // Every body has a length: without one, a target could take it for the next request.
      ...(body === undefined ? {} : { 'content-length': `${body.length}` }),
    },
    agent: false,
    lookup: guardedLookup(resolve, isAllowed),
    maxHeaderSize: headBytes,
    insecureHTTPParser: false,
    signal,
  })
  return request.end(body)
}

/** Resolves with the response to a request, as soon as its head has arrived. */
function headOf(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    let interim = 0
    request
      .on('response', response => {
        // The reader of the body gets the error; without a reader there is nobody to tell.
        done(response.on('error', () => {}))
      })
      .on('error', fail)
      .on('close', fail)
      // Nobody asks for another protocol. Node leaves the socket to the listener.
      .on('upgrade', (_response, socket) => socket.destroy())
      .on('information', ({ statusCode }) => {
        if (statusCode === 101 || ++interim > mostInterim) request.destroy()
      })
    signal.addEventListener('abort', fail)
  })
}
