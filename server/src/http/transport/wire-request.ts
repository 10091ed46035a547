import type { IncomingMessage, ServerResponse } from 'node:http'
import { countedGrowth, type MemoryShares } from '../../base/flow/memory-shares.ts'
import { callerDisconnected } from '../../base/flow/principal.ts'
import type { CoreRequest } from './message.ts'
import { onClose } from './write-response.ts'

/** A request that came over a socket. A class, since closures would be made anew for each request. */
export class WireRequest implements CoreRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: CoreRequest['headers']
  readonly peer: string | undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #bodies: MemoryShares

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    bodies: MemoryShares,
    peer: string | undefined,
  ) {
    const target = pathAndQuery(request.url ?? '/')
    const mark = target.indexOf('?')
    this.method = request.method ?? 'GET'
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.query = mark === -1 ? '' : target.slice(mark + 1)
    this.headers = request.headers as CoreRequest['headers']
    this.peer = peer
    this.#request = request
    this.#response = response
    this.#bodies = bodies
  }

  onClose(listener: () => void): void {
    onClose(this.#response, listener)
  }

  get isGone(): boolean {
    return this.#request.socket.destroyed
  }

  holdResponse(bytes: number, tenant: string): void {
    const refusal = this.#bodies.take(tenant, bytes)
    if (refusal) throw refusal
    this.onClose(() => this.#bodies.release(tenant, bytes))
  }

  /** Rejects with `unavailable` if there is no memory for the body. It is counted until the response has closed. */
  readBody(limitBytes: number, tenant: string): Promise<Uint8Array | undefined> {
    const request = this.#request
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve(undefined)
    // It would neither end nor close any more.
    if (request.destroyed) return Promise.reject(callerDisconnected())
    const bodies = this.#bodies
    let length = 0
    let counted = 0
    this.#response.once('close', () => {
      if (counted > 0) bodies.release(tenant, counted)
    })
    return new Promise((resolve, reject) => {
      let chunks: Buffer[] = []
      const stop = (settle: () => void) => {
        request.removeAllListeners('data')
        // The rest is dropped: left unread, it would keep the next request of the connection from being parsed.
        request.resume()
        chunks = []
        settle()
      }
      const hungUp = () => reject(callerDisconnected())
      request.on('data', (chunk: Buffer) => {
        if (length + chunk.length > limitBytes) return stop(() => resolve(undefined))
        const growth = countedGrowth(length, length + chunk.length)
        const refusal = growth > 0 ? bodies.take(tenant, growth) : undefined
        if (refusal) return stop(() => reject(refusal))
        counted += growth
        length += chunk.length
        chunks.push(chunk)
      })
      request.on('end', () => {
        // Every request closes in the end, and making an error takes longer than reading a small body.
        request.off('close', hungUp)
        resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
      })
      request.on('error', hungUp)
      request.on('close', hungUp)
    })
  }
}

/** A proxy may send the whole URL (RFC 9112, section 3.2.2). */
const pathAndQuery = (url: string) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, ''))
