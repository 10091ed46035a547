import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../base/errors.ts'

/** Nobody reads this response, but the error keeps the log from recording a fault of the server. */
export const callerGone = () =>
  new ServiceError('malformed_json', 'the caller hung up before the request was whole, or begun')

/**
 * Resolves with the body of a request, or with `undefined` as soon as it is longer than `limit`.
 * @param take is called with the length of each chunk, and throws if there is no memory for it
 */
export function readAll(
  request: IncomingMessage,
  limit: number,
  take: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    const stop = (settle: () => void) => {
      request.removeAllListeners('data')
      // The rest is dropped: left unread, it would keep the next request of the connection from being parsed.
      request.resume()
      chunks = []
      settle()
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) return stop(() => resolve(undefined))
      try {
        take(chunk.length)
      } catch (error) {
        return stop(() => reject(error))
      }
      chunks.push(chunk)
    })
    const hungUp = () => reject(callerGone())
    request.on('end', () => {
      // Every request closes in the end, and making an error takes longer than reading a small body.
      request.off('close', hungUp)
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', hungUp)
    request.on('close', hungUp)
  })
}
