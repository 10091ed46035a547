import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliDecompress, unzip, type ZlibOptions } from 'node:zlib'
import { EgressError } from './egress-error.ts'
import {
  type ExchangesOptions,
  type Incoming,
  type OutgoingRequest,
  OutgoingRequests,
  toEgressError,
  tooLong,
} from './exchange.ts'
import { forOtherOrigin, type HeaderFields, readableHeaders, withoutBody } from './headers.ts'
import type { Message, Sender } from './network.ts'
import { AllowedOrigins, atOrigin, type OriginOptions } from './origins.ts'

const acceptedEncodings = 'gzip, deflate, br'

type Decode = (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>
const decoders: Readonly<Record<string, Decode>> = {
  gzip: promisify(unzip),
  'x-gzip': promisify(unzip),
  deflate: promisify(unzip),
  br: promisify(brotliDecompress),
}

/**
 * Reads and decompresses the body of a response. No more than `mostBytes` are held in memory, neither before nor after
 * decompression.
 * @throws {EgressError} size, network
 */
async function readBody({ headers, body }: Incoming, mostBytes: number): Promise<Uint8Array> {
  const coding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  const decode = decoders[coding]
  if (!decode && coding !== 'identity') {
    throw new EgressError('network', 'the response has an unsupported content encoding')
  }
  const bytes = await buffer(body(mostBytes))
  // A 204 may name an encoding, too.
  if (!decode || bytes.length === 0) return bytes
  return await decode(bytes, { maxOutputLength: mostBytes }).catch(error => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLong(mostBytes) : error
  })
}

/** Limits of the requests of one invocation. Times are in real milliseconds. */
export const egressLimits = {
  requestBytes: 1024 * 1024,
  responseBytes: 2 * 1024 * 1024,
  timeoutMs: 8000,
  open: 20,
  requests: 200,
  redirects: 3,
} as const

const redirects = new Set([301, 302, 303, 307, 308])
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export interface FormulaEgressOptions extends OriginOptions, ExchangesOptions {
  readonly limits?: Partial<Record<keyof typeof egressLimits, number>>
}

export interface EgressRequest {
  readonly url: string
  readonly method: string
  readonly headers: HeaderFields
  readonly body?: Uint8Array
  /** Default `follow`: at most three redirects, each to an allowed origin. */
  readonly redirect?: 'follow' | 'manual' | 'error'
  readonly by: Sender
  /** Aborted when the invocation has ended. Requests with the same signal are counted as one invocation. */
  readonly signal: AbortSignal
}

interface EgressResponse {
  /** The URL of the response, after redirects. */
  readonly url: string
  readonly redirected: boolean
  readonly status: number
  /** Names in lower case; values of the same name are joined by commas. */
  readonly headers: HeaderFields
  /** Decompressed. */
  readonly body: Uint8Array
}

/** Performs a request of a formula. @throws {EgressError} whose message the formula may see */
export type FormulaEgress = (request: EgressRequest) => Promise<EgressResponse>

/**
 * Lets formulas fetch from origins that the operator allows. Every failure of an allowed origin is a `network error`,
 * so that formulas cannot scan the network.
 */
export function createFormulaEgress(options: FormulaEgressOptions = {}): FormulaEgress {
  const origins = new AllowedOrigins(options)
  const limits = { ...egressLimits, ...options.limits }
  const exchanges = new OutgoingRequests(options)

  const follow = async (
    first: Message,
    redirect: string,
    exchange: OutgoingRequest,
    by: Sender,
  ): Promise<EgressResponse> => {
    // With the URL that the formula knows.
    let hop = first
    for (let followed = 0; ; followed++) {
      const { url } = hop
      const destination = origins.destinationOf(url)
      const { to: sent = url } = destination
      const response = await exchange.send({ ...hop, ...destination, acceptEncoding: acceptedEncodings })
      const { status } = response
      const { location } = response.headers
      if (!redirects.has(status) || location === undefined || redirect === 'manual') {
        const headers = readableHeaders(response.headers)
        const body = hop.method === 'HEAD' ? new Uint8Array() : await readBody(response, limits.responseBytes)
        return { url: url.href, redirected: followed > 0, status, headers, body }
      }
      if (redirect === 'error') throw new EgressError('policy', 'the response is a redirect')
      if (followed === limits.redirects) throw new EgressError('limit', 'too many redirects')
      if (!URL.canParse(location, sent.href)) throw new EgressError('network', 'network error')
      const next = new URL(location, sent.href)
      const known = next.origin === sent.origin ? atOrigin(next, url.origin) : next
      hop = nextHop(hop, origins.checked(known, by), status)
    }
  }

  const counts = new WeakMap<AbortSignal, { open: number; requests: number }>()
  return async ({ url, method, headers, body, redirect = 'follow', by, signal }) => {
    if (!URL.canParse(url)) throw new EgressError('request', 'the URL is not absolute')
    if (!methods.has(method)) throw new EgressError('request', 'this method is not supported')
    const target = origins.checked(new URL(url), by)
    if ((body?.length ?? 0) > limits.requestBytes) {
      throw new EgressError('size', `the request is longer than ${limits.requestBytes} bytes`)
    }
    const count = counts.get(signal) ?? { open: 0, requests: 0 }
    counts.set(signal, count)
    if (count.requests >= limits.requests || count.open >= limits.open) {
      throw new EgressError('limit', 'too many requests')
    }
    const exchange = exchanges.begin({ by, timeoutMs: limits.timeoutMs, signal })
    count.requests++
    count.open++
    try {
      return await follow({ url: target, method, headers, body }, redirect, exchange, by)
    } catch (error) {
      const known = toEgressError(error)
      // Hides why an allowed origin did not respond, such as whether a port is closed or silent.
      const isVisible = ['policy', 'request', 'limit', 'size', 'development'].includes(known.reason)
      throw isVisible ? known : new EgressError('network', 'network error')
    } finally {
      exchange.end()
      count.open--
    }
  }
}

/** As in browsers, a 303 continues with a GET, and so do 301 and 302 after a POST. */
function nextHop({ url, method, headers, body }: Message, next: URL, status: number): Message {
  const sent = next.origin === url.origin ? headers : forOtherOrigin(headers)
  const becomesGet = (status === 303 && method !== 'HEAD') || (status < 303 && method === 'POST')
  if (becomesGet) return { url: next, method: 'GET', headers: withoutBody(sent) }
  return { url: next, method, headers: sent, body }
}
