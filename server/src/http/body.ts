import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../base/errors.ts'

/** The memory that the body of one request takes. */
export interface BodyShare {
  /** @throws {ServiceError} unavailable, if the budget is used up */
  take(bytes: number): void
}

interface Ending {
  once(event: 'close', listener: () => void): unknown
}

/**
 * Limits the memory of all bodies together, from their first byte to the end of the response. Many large bodies that
 * are sent slowly would otherwise fill it. The first bytes of each body are free, so that requests with a small body
 * never fail because of large ones; the number of connections limits those.
 */
export class BodyBudget {
  readonly #mostBytes: number
  readonly #freeBytes: number
  #taken = 0

  constructor({ allBodyBytes, freeBodyBytes }: { allBodyBytes: number; freeBodyBytes: number }) {
    this.#mostBytes = allBodyBytes
    this.#freeBytes = freeBodyBytes
  }

  /** Returns the share of one request, which is released when its response closes. */
  share(response: Ending): BodyShare {
    let length = 0
    let taken = 0
    return {
      take: bytes => {
        length += bytes
        const more = Math.max(0, length - this.#freeBytes) - taken
        if (more <= 0) return
        if (this.#taken + more > this.#mostBytes) {
          throw new ServiceError('unavailable', 'too many large requests at once', {
            headers: { 'Retry-After': '1' },
          })
        }
        if (taken === 0) {
          response.once('close', () => {
            this.#taken -= taken
          })
        }
        taken += more
        this.#taken += more
      },
    }
  }
}

/** Resolves with the body of a request, or with `undefined` as soon as it is longer than `limit`. */
export function readAll(
  request: IncomingMessage,
  limit: number,
  share: BodyShare,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    const stop = (settle: () => void) => {
      request.pause()
      request.removeAllListeners('data')
      chunks = []
      settle()
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) return stop(() => resolve(undefined))
      try {
        share.take(chunk.length)
      } catch (error) {
        return stop(() => reject(error))
      }
      chunks.push(chunk)
    })
    // Nobody reads this response, but the error keeps the log from recording a fault of the server.
    const hungUp = () =>
      reject(new ServiceError('malformed_json', 'the caller hung up before the body was whole'))
    request.on('end', () => {
      // Every request closes in the end, and making an error takes longer than reading a small body.
      request.off('close', hungUp)
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', hungUp)
    request.on('close', hungUp)
  })
}
