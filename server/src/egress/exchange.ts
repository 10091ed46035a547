import { setMaxListeners } from 'node:events'
import { addAbortSignal, type Readable } from 'node:stream'
import type { Admission } from '../base/flow/admission.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import { EgressError } from './egress-error.ts'
import { type Head, type NetworkOptions, network, type Outgoing, type Sender, type Wire } from './network.ts'

export interface ExchangesOptions extends NetworkOptions {
  /** Absent if those who begin exchanges limit them. */
  readonly admission?: Admission | undefined
  /** Put around the network: it may respond itself. */
  readonly around?: ((wire: Wire) => Wire) | undefined
}

export interface Terms {
  readonly by: Sender
  /** Real milliseconds from the beginning to the last byte of the last response. */
  readonly timeoutMs: number
  /** Ends the exchange earlier. */
  readonly signal?: AbortSignal | undefined
}

export interface Incoming {
  /** From 200 to 599. */
  readonly status: number
  readonly headers: Head['headers']
  /**
   * Reads the body. The exchange ends with it, also if the reader gives up or the body is longer than `mostBytes`.
   * Rejects with an `EgressError`.
   */
  body(mostBytes: number): AsyncIterable<Uint8Array>
}

/** All exchanges of one kind: the only place from which requests are sent outside. */
export class OutgoingRequests {
  readonly #admission: Admission | undefined
  readonly #wire: Wire
  readonly #open = new Set<OutgoingRequest>()

  constructor({ admission, around = wire => wire, ...options }: ExchangesOptions = {}) {
    this.#admission = admission
    this.#wire = around(network(options))
  }

  /** The number of exchanges that have not ended. */
  get open(): number {
    return this.#open.size
  }

  /** Begins an exchange, whose time runs from now on. @throws {EgressError} limit */
  begin(terms: Terms): OutgoingRequest {
    const release = this.#admission?.take(terms.by)
    if (this.#admission && !release) throw new EgressError('limit', 'too many requests')
    const exchange: OutgoingRequest = new OutgoingRequest(this.#wire, terms, () => {
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
  readonly #wire: Wire
  readonly #by: Sender
  /** Aborted, with an `EgressError` as the reason, when the exchange ends. */
  readonly #over = new AbortController()
  /** Aborted when a further request takes the place of the latest one. */
  #latest = new AbortController()

  /** Use `OutgoingRequests.begin`. */
  constructor(wire: Wire, { by, timeoutMs, signal }: Terms, release: () => void) {
    this.#wire = wire
    this.#by = by
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
    this.#latest.abort()
    const own = new AbortController()
    this.#latest = own
    try {
      over.throwIfAborted()
      const signal = AbortSignal.any([over, own.signal])
      const { status, headers, body } = await this.#wire({ ...outgoing, by: this.#by, signal })
      if (status < 200 || status > 599) throw new EgressError('network', 'network error')
      return { status, headers, body: mostBytes => this.#read(addAbortSignal(over, body), mostBytes) }
    } catch (error) {
      const known = toEgressError(error)
      // A further request has taken the place of this one, which does not concern that.
      if (this.#latest === own) this.end(known)
      throw over.reason ?? known
    }
  }

  /** Not a generator: a reader who gives up ends the exchange at once, also while the next piece is awaited. */
  #read(response: Readable, mostBytes: number): AsyncIterable<Uint8Array> {
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
