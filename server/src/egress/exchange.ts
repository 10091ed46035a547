import { setMaxListeners } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Admission, Party } from '../base/flow/admission.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import { literalAddress } from './addresses.ts'
import { EgressError } from './egress-error.ts'
import { type HeaderFields, sendableHeaders } from './headers.ts'
import type { IsOwn } from './own-addresses.ts'
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

interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: HeaderFields
  /** The content codings that the response may have. */
  readonly acceptEncoding?: string | undefined
  readonly body?: Uint8Array | undefined
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
export class Exchanges {
  readonly #options: ExchangesOptions
  readonly #open = new Set<Exchange>()

  constructor(options: ExchangesOptions = {}) {
    this.#options = options
  }

  /** The number of exchanges that have not ended. */
  get open(): number {
    return this.#open.size
  }

  /** Begins an exchange, whose time runs from now on. @throws {EgressError} limit */
  begin(terms: Terms): Exchange {
    const { admission } = this.#options
    const lease = admission?.take(terms.by)
    if (admission && !lease) throw new EgressError('limit', 'too many requests')
    const exchange: Exchange = new Exchange(this.#options, terms, () => {
      lease?.release()
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
export class Exchange {
  readonly #options: ExchangesOptions
  readonly #terms: Terms
  readonly #timer: NodeJS.Timeout
  readonly #abort = () => this.end()
  readonly #release: () => void
  #ended: EgressError | undefined
  #request: ClientRequest | undefined
  #response: IncomingMessage | undefined
  /** Rejects the promise of `send`. */
  #fail: (error: EgressError) => void = () => {}

  /** Use `Exchanges.begin`. */
  constructor(options: ExchangesOptions, terms: Terms, release: () => void) {
    this.#options = options
    this.#terms = terms
    this.#release = release
    // Keeps the process alive until the exchange has ended, unlike the timer of `AbortSignal.timeout`.
    this.#timer = setTimeout(this.#abort, terms.timeoutMs)
    const { signal } = terms
    if (!signal) return
    // All exchanges of an invocation listen to its signal; without this, Node would warn of a leak.
    setMaxListeners(0, signal)
    signal.addEventListener('abort', this.#abort, { once: true })
  }

  /**
   * Sends a request over a new connection, and resolves with the head of the response. Connections are not reused: the
   * next request may be of another tenant, or the address may have changed. A failure ends the exchange.
   * @throws {EgressError}
   */
  send(outgoing: Outgoing): Promise<Incoming> {
    this.#drop()
    return new Promise((done, fail) => {
      if (this.#ended) return fail(this.#ended)
      this.#fail = fail
      try {
        this.#begin(outgoing, done)
      } catch (error) {
        // Node throws a TypeError for a request that is not valid HTTP, such as a line break in a header.
        this.end(
          error instanceof TypeError
            ? new EgressError('request', 'the request is not valid HTTP')
            : toEgressError(error),
        )
      }
    })
  }

  /** Ends the exchange, if it has not ended. */
  end(reason = new EgressError('time', 'no response in time')): void {
    if (this.#ended) return
    this.#ended = reason
    clearTimeout(this.#timer)
    this.#terms.signal?.removeEventListener('abort', this.#abort)
    this.#release()
    this.#drop()
  }

  #begin(
    { url, method, headers, acceptEncoding, body, accepts }: Outgoing,
    done: (head: Incoming) => void,
  ): void {
    const { resolve = systemResolve, isOwn } = this.#options
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
      headers: framed({ headers, acceptEncoding, body }),
      agent: false,
      lookup: guardedLookup(resolve, isAllowed),
      maxHeaderSize: headBytes,
      insecureHTTPParser: false,
    })
    this.#request = request
    const fail = (error?: unknown) => {
      if (this.#request === request) this.end(toEgressError(error))
    }
    let interim = 0
    request
      // What follows a whole response is no part of it.
      .on('error', error => {
        if (!this.#response?.complete) fail(error)
      })
      // Nobody asks for another protocol. Node leaves the socket to the listener.
      .on('upgrade', (_response, socket) => {
        socket.destroy()
        fail()
      })
      .on('information', ({ statusCode }) => {
        if (statusCode === 101 || ++interim > mostInterim) fail()
      })
      .on('response', response => {
        // The reader of the body gets the error; without a reader there is nobody to tell.
        response.on('error', () => {})
        const { statusCode: status = 0, headers } = response
        if (this.#request !== request || status < 200 || status > 599) return fail()
        this.#response = response
        this.#fail = () => {}
        done({ status, headers, body: mostBytes => this.#read(response, mostBytes) })
      })
      .on('close', () => {
        if (this.#response === undefined) fail()
      })
    request.end(body)
  }

  /** Not a generator: a reader who gives up ends the exchange at once, also while the next piece is awaited. */
  #read(response: IncomingMessage, mostBytes: number): AsyncIterable<Uint8Array> {
    const pieces = response[Symbol.asyncIterator]()
    let [bytes, isWhole] = [0, false]
    const next = async () => {
      try {
        const { done, value } = await pieces.next()
        if (this.#ended && !isWhole) throw this.#ended
        if (done) {
          isWhole = true
          this.end()
          return { done, value: undefined }
        }
        bytes += value.length
        if (bytes > mostBytes) throw new EgressError('size', `the response is longer than ${mostBytes} bytes`)
        return { done: false as const, value }
      } catch (error) {
        this.end(toEgressError(error))
        throw this.#ended
      }
    }
    const stop = async () => {
      this.end()
      return { done: true as const, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: stop }) }
  }

  /** Ends the last request and closes its connection. */
  #drop(): void {
    this.#fail(this.#ended ?? new EgressError('network', 'network error'))
    const [request, response] = [this.#request, this.#response]
    this.#request = undefined
    this.#response = undefined
    // First the response: destroying the request alone would discard what has arrived, as if nothing were missing.
    response?.destroy(this.#ended)
    request?.destroy()
  }
}

/** Returns the headers of a request. Every body has a length: without one, a target could take it for the next request. */
function framed({ headers, acceptEncoding, body }: Pick<Outgoing, 'headers' | 'acceptEncoding' | 'body'>) {
  return {
    ...sendableHeaders(headers),
    ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    ...(body === undefined ? {} : { 'content-length': `${body.length}` }),
  }
}

/** Converts an error to one whose message may be shown. */
export function toEgressError(error: unknown): EgressError {
  return error instanceof EgressError ? error : new EgressError('network', 'network error', error)
}
