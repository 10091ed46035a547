import { setMaxListeners } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { addAbortSignal } from 'node:stream'
import type { Admission, Party } from '../base/flow/admission.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import { type IsOwn, literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'
import { type HeaderFields, sendableHeaders } from './headers.ts'
import { guardedLookup, type Resolve, systemResolve } from './resolve.ts'

/** The head of a response may have this many bytes. */
const headBytes = 16 * 1024
/** A target may send this many interim responses (1xx) before its response. */
const mostInterim = 20

/** Whose exchange it is. */
export type Sender = Pick<Party, 'application' | 'session'> & { readonly tenant: string }

export interface ExchangesOptions {
  readonly resolve?: Resolve | undefined
  readonly isOwn?: IsOwn | undefined
  /** Absent if those who begin exchanges limit them. */
  readonly admission?: Admission | undefined
}

export interface Terms {
  readonly by: Sender
  /** Real milliseconds from the beginning to the last byte of the last response. */
  readonly timeoutMs: number
  /** Ends the exchange earlier. */
  readonly signal?: AbortSignal | undefined
}

export interface Message {
  readonly url: URL
  readonly method: string
  readonly headers: HeaderFields
  readonly body?: Uint8Array | undefined
}

interface Outgoing extends Message {
  /** The content codings that the response may have. */
  readonly acceptEncoding?: string | undefined
  /** True for an address, literal or resolved, that the request may be sent to. */
  accepts(address: string): boolean
}

export interface Incoming {
  /** From 200 to 599. */
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /**
   * Reads the body. The exchange ends with it, also if the reader gives up or the body is longer than `mostBytes`.
   * Rejects with an `EgressError`.
   */
  body(mostBytes: number): AsyncIterable<Uint8Array>
}

/** All exchanges of one kind: the only place from which requests are sent outside. */
export class OutgoingRequests {
  readonly #options: ExchangesOptions
  readonly #open = new Set<OutgoingRequest>()

  constructor(options: ExchangesOptions = {}) {
    this.#options = options
  }

  /** The number of exchanges that have not ended. */
  get open(): number {
    return this.#open.size
  }

  /** Begins an exchange, whose time runs from now on. @throws {EgressError} limit */
  begin(terms: Terms): OutgoingRequest {
    const { admission } = this.#options
    const release = admission?.take(terms.by)
    if (admission && !release) throw new EgressError('limit', 'too many requests')
    const exchange: OutgoingRequest = new OutgoingRequest(this.#options, terms, () => {
      release?.()
      this.#open.delete(exchange)
    })
    this.#open.add(exchange)
    if (terms.signal?.aborted) exchange.end()
    return exchange
  }

  /** Ends all exchanges. */
  close(): void {
    for (const exchange of this.#open) exchange.end()
  }
}

/**
 * One exchange: requests sent one after another, such as those of redirects, under one deadline. It ends once, by
 * `end`, by its deadline or by its signal. Then its promises have settled, and its sockets, its timer and its share are
 * released: nothing that a target does or leaves undone can prevent that.
 */
export class OutgoingRequest {
  readonly #options: ExchangesOptions
  /** Aborted, with an `EgressError` as the reason, when the exchange ends. */
  readonly #over = new AbortController()
  #request: ClientRequest | undefined

  /** Use `OutgoingRequests.begin`. */
  constructor(options: ExchangesOptions, { timeoutMs, signal }: Terms, release: () => void) {
    this.#options = options
    const end = () => this.end()
    // Keeps the process alive until the exchange has ended, unlike the timer of `AbortSignal.timeout`.
    const timer = setTimeout(end, timeoutMs)
    const over = this.#over.signal
    over.addEventListener('abort', () => {
      clearTimeout(timer)
      release()
    })
    if (!signal) return
    // All exchanges of an invocation listen to its signal, and all redirects to this one: Node would warn of a leak.
    setMaxListeners(0, signal, over)
    signal.addEventListener('abort', end, { signal: over })
  }

  /** Ends the exchange, if it has not ended. */
  end(reason = new EgressError('time', 'no response in time')): void {
    this.#over.abort(reason)
  }

  /**
   * Sends a request over a new connection, and resolves with the head of the response. Connections are not reused: the
   * next request may be of another tenant, or the address may have changed. A failure ends the exchange.
   * @throws {EgressError}
   */
  async send(outgoing: Outgoing): Promise<Incoming> {
    const over = this.#over.signal
    this.#request?.destroy()
    this.#request = undefined
    let request: ClientRequest | undefined
    try {
      over.throwIfAborted()
      request = open(outgoing, over, this.#options)
      this.#request = request
      const response = await headOf(request, over)
      const { statusCode: status = 0, headers } = response
      if (status < 200 || status > 599) throw new EgressError('network', 'network error')
      return { status, headers, body: mostBytes => this.#read(addAbortSignal(over, response), mostBytes) }
    } catch (error) {
      const known = toEgressError(error)
      // A further request has taken the place of this one, which does not concern that.
      if (this.#request === request) this.end(known)
      throw over.reason ?? known
    }
  }

  /** Not a generator: a reader who gives up ends the exchange at once, also while the next piece is awaited. */
  #read(response: IncomingMessage, mostBytes: number): AsyncIterable<Uint8Array> {
    const over = this.#over.signal
    const pieces: AsyncIterator<Uint8Array, undefined> = response[Symbol.asyncIterator]()
    let [bytes, isWhole] = [0, false]
    const next = async () => {
      try {
        const piece = await pieces.next()
        if (!isWhole) over.throwIfAborted()
        if (piece.done) {
          isWhole = true
          this.end()
          return piece
        }
        bytes += piece.value.length
        if (bytes > mostBytes) throw tooLong(mostBytes)
        return piece
      } catch (error) {
        this.end(toEgressError(error))
        throw over.reason
      }
    }
    const stop = async () => {
      this.end()
      return { done: true as const, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: stop }) }
  }
}

/** Opens a connection to an allowed address, and sends a request. */
function open(
  { url, method, headers, acceptEncoding, body, accepts }: Outgoing,
  signal: AbortSignal,
  { resolve = systemResolve, isOwn }: ExchangesOptions,
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

/** Returns the error for a response with a body of more bytes than these. */
export function tooLong(mostBytes: number): EgressError {
  return new EgressError('size', `the response is longer than ${mostBytes} bytes`)
}

/** Converts an error to one whose message may be shown. */
export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error
  // Node throws a TypeError for a request that is not valid HTTP, such as a line break in a header.
  if (error instanceof TypeError) return new EgressError('request', 'the request is not valid HTTP')
  return new EgressError('network', 'network error', error)
}
