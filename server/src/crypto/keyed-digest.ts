import { createHmac, hash } from 'node:crypto'

const blockLength = 64
const hashLength = 32
/** Longer messages are hashed the usual way. Ids, terms and API keys are far shorter. */
const roomLength = 1024
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** In UTF-8, a UTF-16 unit takes at most three bytes. */
const mostUnits = roomLength / 3

/**
 * HMAC-SHA256 under one key, for many short messages.
 *
 * Written out after RFC 2104, H(key ^ opad | H(key ^ ipad | message)), with two one-shot hashes: an `Hmac` object
 * takes twice as long and leaves three objects of native memory to the garbage collector, and a request needs up to
 * ten digests. Each padded key is laid out once, followed by room for the bytes that are hashed with it.
 */
export class KeyedDigest {
  readonly #key: Uint8Array
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** @param key up to 64 bytes; RFC 2104 would hash longer ones first */
  constructor(key: Uint8Array) {
    if (key.length > blockLength)
      throw new RangeError(`the key of a digest must have at most ${blockLength} bytes`)
    this.#key = key
    this.#inner = Buffer.alloc(blockLength + roomLength)
    this.#outer = Buffer.alloc(blockLength + hashLength)
    for (let index = 0; index < blockLength; index++) {
      this.#inner[index] = (key[index] ?? 0) ^ 0x36
      this.#outer[index] = (key[index] ?? 0) ^ 0x5c
    }
  }

  /** The first 16 bytes of the digest of the parts, in base64url (22 characters). */
  short(...parts: readonly string[]): string {
    const whole = this.#digest(joined(parts), 'base64url')
    // Only two bits of the 22nd character belong to the first 16 bytes.
    return whole.slice(0, 21) + 'AQgw'[alphabet.indexOf(whole[21] ?? '') >> 4]
  }

  /** All 32 bytes, in hex. */
  hex(...parts: readonly string[]): string {
    return this.#digest(joined(parts), 'hex')
  }

  #digest(message: string, encoding: 'base64url' | 'hex'): string {
    if (message.length > mostUnits) return createHmac('sha256', this.#key).update(message).digest(encoding)
    const inner = this.#inner
    const end = blockLength + inner.write(message, blockLength)
    this.#outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockLength, 'latin1')
    // The message may be sensitive, and this buffer lives as long as the tenant's keys.
    inner.fill(0, blockLength, end)
    return hash('sha256', this.#outer, encoding)
  }
}

/** Joins parts into one string, for one native call. The lengths make ("ab", "c") differ from ("a", "bc"). */
export function joined(parts: readonly string[]): string {
  let message = ''
  for (const part of parts) message += `${part.length}:${part}`
  return message
}
