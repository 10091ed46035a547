import type { Readable } from 'node:stream'

/**
 * Passes on a body as it arrives, up to `mostBytes`: one that is longer is cut off. Not a generator: a reader who gives up
 * ends the body at once, also while the next piece is awaited.
 */
export function passOn(body: Readable, mostBytes: number): AsyncIterable<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]()
  let bytes = 0
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const { done, value } = await iterator.next()
        if (done) return { done, value: undefined }
        bytes += value.length
        if (bytes <= mostBytes) return { done: false, value }
        body.destroy()
        throw new Error('the response of a target is too long')
      },
      return: async () => {
        body.destroy()
        return { done: true, value: undefined }
      },
    }),
  }
}
