import { createHmac, hash } from 'node:crypto'

const blockLength = 64
const hashLength = 32
/** Longer messages take the usual way; digests of ids, terms and API keys are far below it. */
const roomLength = 1024
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const mostUnits = roomLength / 3

/**
 * HMAC-SHA256 under one key, for very many short messages.
 *
 * It is RFC 2104 spelled out, H(key ^ opad | H(key ^ ipad | message)), over two one-shot hashes: an `Hmac` object
 * costs twice as much and leaves three objects of native memory to the garbage collector, and a request takes up
 * to ten digests. The two padded keys are laid out once, each in front of room for what is hashed with it.
 */
export class KeyedDigest {
  readonly #key: Uint8Array
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** @param key at most 64 bytes; longer ones would have to be hashed first */
  constructor(key: Uint8Array) {
    if (key.length > blockLength) throw new RangeError(`the key of a digest has at most ${blockLength} bytes`)
    this.#key = key
    this.#inner = Buffer.alloc(blockLength + roomLength)
    this.#outer = Buffer.alloc(blockLength + hashLength)
    for (let index = 0; index < blockLength; index++) {
      this.#inner[index] = (key[index] ?? 0) ^ 0x36
      this.#outer[index] = (key[index] ?? 0) ^ 0x5c
    }
  }

  /** 16 bytes of the digest over the parts, in base64url (22 characters). Parts cannot run into each other. */
  short(...parts: readonly string[]): string {
    const whole = this.#digest(joined(parts), 'base64url')
    // Of the 22nd character only two bits are of the first 16 bytes.
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
    // What is searched for may be sensitive, and this buffer lives as long as the tenant's keys do.
    inner.fill(0, blockLength, end)
    return hash('sha256', this.#outer, encoding)
  }
}

/** One string for one native call; a length before each part keeps ("ab", "c") from meeting ("a", "bc"). */
export function joined(parts: readonly string[]): string {
  let message = ''
  for (const part of parts) message += `${part.length}:${part}`
  return message
}
