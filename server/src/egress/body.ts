import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from './egress-error.ts'
import type { Incoming } from './exchange.ts'

export const acceptedEncodings = 'gzip, deflate, br'

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Reads and decompresses the body of a response. Counts bytes as they arrive, before and after decompression, so
 * that a body that is too large is never held in memory.
 * @throws {EgressError} size, network
 */
export async function readBody({ headers, body }: Incoming, mostBytes: number): Promise<Uint8Array> {
  const coding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  const decoder = decoders[coding]
  if (!decoder && coding !== 'identity') {
    throw new EgressError('network', 'the response has an unsupported content encoding')
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  const keep = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > mostBytes) throw new EgressError('size', `the response is longer than ${mostBytes} bytes`)
      chunks.push(chunk)
    }
  }
  const pieces = body(mostBytes)
  await (decoder ? pipeline(pieces, decoder(), keep) : keep(pieces))
  return Buffer.concat(chunks)
}
