import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto'

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

/** Derives a 32-byte key from `secret`, domain-separated by `purpose` and `parts`. */
export function deriveKey(secret: string, purpose: string, ...parts: readonly string[]): Uint8Array {
  return createHmac('sha256', secret)
    .update(joined([purpose, ...parts]))
    .digest()
}

/** HMAC-SHA256 of bytes, domain-separated by `label`, in hex. */
export function keyedBytesDigestHex(key: Uint8Array, label: string, bytes: Uint8Array): string {
  return createHmac('sha256', key)
    .update(joined([label]))
    .update(bytes)
    .digest('hex')
}

/** HMAC-SHA256 of the concatenated parts, in base64, as other systems compute it. */
export function hmacBase64(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('base64')
}

/** SHA-256 of `facts` and `bytes`, in hex. */
export function digestOfFacts(facts: string, bytes: Uint8Array): string {
  return createHash('sha256')
    .update(joined([facts]))
    .update(bytes)
    .digest('hex')
}

/** SHA-256 of text that is not secret, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Compares digests in constant time. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** HMAC-SHA256 of lists of strings, under one key. */
export class KeyedDigest {
  readonly #hmac: Hmac

  constructor(key: Uint8Array) {
    this.#hmac = new Hmac(key)
  }

  /** The first 16 bytes of the digest of the parts, in base64url (22 characters). */
  short(...parts: readonly string[]): string {
    const whole = this.#hmac.digest(joined(parts), 'base64url')
    // Only two bits of the 22nd character belong to the first 16 bytes.
    return whole.slice(0, 21) + 'AQgw'[alphabet.indexOf(whole[21] ?? '') >> 4]
  }

  /** All 32 bytes, in hex. */
  hex(...parts: readonly string[]): string {
    return this.#hmac.digest(joined(parts), 'hex')
  }
}

/** Joins parts into one string, for one native call. The lengths make ("ab", "c") differ from ("a", "bc"). */
export function joined(parts: readonly string[]): string {
  let message = ''
  for (const part of parts) message += `${part.length}:${part}`
  return message
}
