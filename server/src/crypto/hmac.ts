import { createHash, hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32

/**
 * HMAC-SHA256 under one key, by two one-shot hashes (RFC 2104). `createHmac` takes 1.9 µs for a short text and makes three
 * native objects, this 0.9 µs and none; a create of a token makes ten digests.
 */
export class Hmac {
  /** Each begins with a block of the key. */
  readonly #inner: Buffer
  readonly #outer: Buffer

  constructor(key: Uint8Array) {
    const short = key.length > blockBytes ? createHash('sha256').update(key).digest() : key
    this.#inner = Buffer.alloc(blockBytes, 0x36)
    this.#outer = Buffer.alloc(blockBytes + digestBytes, 0x5c)
    for (const [at, byte] of short.entries()) {
      this.#inner[at] = 0x36 ^ byte
      this.#outer[at] = 0x5c ^ byte
    }
  }

  /** Returns the digest of a text in UTF-8. */
  digest(text: string, encoding: 'hex' | 'base64url'): string {
    const bytes = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
    this.#inner.copy(bytes)
    bytes.write(text, blockBytes)
    // As text: a buffer of its own would take half as long again.
    this.#outer.write(hash('sha256', bytes, 'binary'), blockBytes, 'latin1')
    return hash('sha256', this.#outer, encoding as 'hex')
  }
}
