import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** HMAC-SHA256 of lists of strings, under one key. */
export class KeyedDigest {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** The first 16 bytes of the digest of the parts, in base64url (22 characters). */
  short(...parts: readonly string[]): string {
    const whole = this.#hmac(parts).digest('base64url')
    // Only two bits of the 22nd character belong to the first 16 bytes.
    return whole.slice(0, 21) + 'AQgw'[alphabet.indexOf(whole[21] ?? '') >> 4]
  }

  /** All 32 bytes, in hex. */
  hex(...parts: readonly string[]): string {
    return this.#hmac(parts).digest('hex')
  }

  #hmac(parts: readonly string[]) {
    return createHmac('sha256', this.#key).update(joined(parts))
  }
}

/** Joins parts into one string, for one native call. The lengths make ("ab", "c") differ from ("a", "bc"). */
export function joined(parts: readonly string[]): string {
  let message = ''
  for (const part of parts) message += `${part.length}:${part}`
  return message
}
