import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from './egress-error.ts'

export const acceptedEncodings = 'gzip, deflate, br'

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Reads and decompresses the body of a response. Counts bytes as they arrive, before and after decompression, so
 * that a body that is too large is never held in memory.
 * @throws {EgressError} size
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const coding = response.headers['content-encoding']?.trim().toLowerCase() || 'identity'
  const decoder = decoders[coding]
  if (!decoder && coding !== 'identity') {
    response.destroy()
    throw new EgressError('network', 'the response has an unsupported content encoding')
  }
  const chunks: Uint8Array[] = []
  const keep = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) chunks.push(chunk)
  }
  if (decoder) await pipeline(response, counted(maxBytes), decoder(), counted(maxBytes), keep)
  else await pipeline(response as Readable, counted(maxBytes), keep)
  return Buffer.concat(chunks)
}

function counted(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(new EgressError('size', `the response is longer than ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}
