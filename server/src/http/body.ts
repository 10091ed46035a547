import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../base/errors.ts'

/** What a request may take of the memory for bodies. */
export interface BodyShare {
  /** @throws {ServiceError} unavailable, where that is more than there is */
  take(bytes: number): void
}

interface Ending {
  once(event: 'close', listener: () => void): unknown
}

/**
 * Bounds what all bodies take together, from the first byte that arrives to the end of the answer. Many requests
 * with a large body, each sent slowly, would otherwise fill the memory. Small bodies are free: connections are
 * bounded in number, and requests with a small body must not fail because of others with a large one.
 */
export class BodyBudget {
  readonly #mostBytes: number
  readonly #freeBytes: number
  #taken = 0

  constructor({ allBodyBytes, freeBodyBytes }: { allBodyBytes: number; freeBodyBytes: number }) {
    this.#mostBytes = allBodyBytes
    this.#freeBytes = freeBodyBytes
  }

  /** The share of one request, which it holds until its response closes. */
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

/** The body of a request, or `undefined` as soon as it is longer than `limit`. */
export function readAll(
  request: IncomingMessage,
  limit: number,
  share: BodyShare,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    const give = (settle: () => void) => {
      request.pause()
      request.removeAllListeners('data')
      chunks = []
      settle()
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) return give(() => resolve(undefined))
      try {
        share.take(chunk.length)
      } catch (error) {
        return give(() => reject(error))
      }
      chunks.push(chunk)
    })
    // Nobody is left to read the answer; that it is no fault of ours matters to the log.
    const hungUp = () =>
      reject(new ServiceError('malformed_json', 'the caller hung up before the body was whole'))
    request.on('end', () => {
      // Every request closes in the end, and an error that nobody sees costs more than reading the body did.
      request.off('close', hungUp)
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', hungUp)
    request.on('close', hungUp)
  })
}
