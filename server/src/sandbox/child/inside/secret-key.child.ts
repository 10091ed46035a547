import { Buffer } from './buffer.child.ts'
import { natives } from './host.child.ts'

/** A key of `require('crypto')` for HMACs, as packages for JSON Web Tokens make of each secret. */
export class KeyObject {
  readonly type = 'secret'
  readonly #secret: Uint8Array

  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  get symmetricKeySize(): number {
    return this.#secret.length
  }

  /** Returns a copy of the bytes, or a JSON Web Key. */
  export({ format }: { readonly format?: string } = {}): Buffer | object {
    const bytes = Buffer.from(this.#secret)
    return format === 'jwk' ? { kty: 'oct', k: bytes.toString('base64url') } : bytes
  }

  equals(other: KeyObject): boolean {
    return natives.equalBytes(this.#secret, other.#secret) ?? false
  }

  static secretOf(key: KeyObject): Uint8Array {
    return key.#secret
  }
}
const { secretOf } = KeyObject

export function createSecretKey(key: unknown, encoding?: string): KeyObject {
  return new KeyObject(Buffer.from(key as string, encoding as 'utf8'))
}

/** Returns the bytes of a secret that is given as a key, text or bytes. */
export const secretBytes = (key: unknown): Uint8Array =>
  key instanceof KeyObject ? secretOf(key) : Buffer.from(key as string)

function refuse(): never {
  throw new TypeError('keys of formulas are secrets for HMAC; there are no public and private keys')
}

/** There, but of no use: packages for JSON Web Tokens try them first, and then take the key for a secret. */
export const createPublicKey = refuse
export const createPrivateKey = refuse
