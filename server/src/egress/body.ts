import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliDecompress, unzip, type ZlibOptions } from 'node:zlib'
import { EgressError } from './egress-error.ts'
import { type Incoming, tooLong } from './exchange.ts'

export const acceptedEncodings = 'gzip, deflate, br'

type Decode = (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>
const decoders: Readonly<Record<string, Decode>> = {
  gzip: promisify(unzip),
  'x-gzip': promisify(unzip),
  deflate: promisify(unzip),
  br: promisify(brotliDecompress),
}

/**
 * Reads and decompresses the body of a response. No more than `mostBytes` are held in memory, neither before nor after
 * decompression.
 * @throws {EgressError} size, network
 */
export async function readBody({ headers, body }: Incoming, mostBytes: number): Promise<Uint8Array> {
  const coding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  const decode = decoders[coding]
  if (!decode && coding !== 'identity') {
    throw new EgressError('network', 'the response has an unsupported content encoding')
  }
  const bytes = await buffer(body(mostBytes))
  // A 204 may name an encoding, too.
  if (!decode || bytes.length === 0) return bytes
  return await decode(bytes, { maxOutputLength: mostBytes }).catch(error => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLong(mostBytes) : error
  })
}
