/**
 * A message between host and runner: a small JSON header and a body of bytes, each prefixed by its length. Both
 * processes use this file. A runner is not trusted: lengths are checked before anything is buffered.
 */
export interface Frame {
  readonly header: Record<string, unknown>
  readonly body: Uint8Array
}

/** The peer violated the protocol; the connection cannot continue. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

const prefixLength = 8
const empty = new Uint8Array(0)

/** Encodes a frame. The header must not exceed the reader's limit. */
export function encodeFrame(header: object, body: Uint8Array = empty): Buffer {
  const head = Buffer.from(JSON.stringify(header), 'utf8')
  const frame = Buffer.allocUnsafeSlow(prefixLength + head.length + body.length)
  frame.writeUInt32BE(head.length, 0)
  frame.writeUInt32BE(body.length, 4)
  frame.set(head, prefixLength)
  frame.set(body, prefixLength + head.length)
  return frame
}

interface FrameLimits {
  readonly headerBytes: number
  readonly bodyBytes: number
}

/** Splits a stream of chunks into frames. */
export class FrameReader {
  readonly #limits: FrameLimits
  #chunks: Buffer[] = []
  #length = 0
  /** The length of the current frame; 0 until its prefix has arrived. */
  #expected = 0

  constructor(limits: FrameLimits) {
    this.#limits = limits
  }

  /** Returns the frames that this chunk completes. @throws {FrameError} */
  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    this.#chunks.push(chunk)
    this.#length += chunk.length
    for (;;) {
      if (this.#expected === 0) {
        if (this.#length < prefixLength) return frames
        const prefix = this.#joined()
        this.#expected = prefixLength + this.#checked(prefix.readUInt32BE(0), prefix.readUInt32BE(4))
      }
      if (this.#length < this.#expected) return frames
      const bytes = this.#joined()
      frames.push(decode(bytes.subarray(0, this.#expected)))
      const rest = bytes.subarray(this.#expected)
      this.#chunks = rest.length === 0 ? [] : [rest]
      this.#length = rest.length
      this.#expected = 0
    }
  }

  #joined(): Buffer {
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#length)
    this.#chunks = [bytes]
    return bytes
  }

  #checked(header: number, body: number): number {
    if (header > this.#limits.headerBytes) throw new FrameError('a header is longer than allowed')
    if (body > this.#limits.bodyBytes) throw new FrameError('a body is longer than allowed')
    return header + body
  }
}

function decode(bytes: Buffer): Frame {
  const headEnd = prefixLength + bytes.readUInt32BE(0)
  let header: unknown
  try {
    header = JSON.parse(bytes.toString('utf8', prefixLength, headEnd))
  } catch {
    throw new FrameError('a header is not JSON')
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new FrameError('a header is not an object')
  }
  return { header: header as Record<string, unknown>, body: bytes.subarray(headEnd) }
}
