import { Buffer } from './buffer.child.ts'
import { natives } from './host.child.ts'

/** Hashes of Node by their names in Web Crypto. */
export const webNames: Readonly<Record<string, string>> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}

type Algorithm = string | { readonly name?: unknown; readonly hash?: Algorithm }

const nameOf = (algorithm: Algorithm | undefined): string =>
  `${typeof algorithm === 'object' ? algorithm?.name : algorithm}`.toUpperCase()

const usagesOfHmac = ['sign', 'verify']

/** A key for HMACs. Its bytes are only for `exportKey` and for signing. */
export class CryptoKey {
  readonly type = 'secret'
  readonly extractable: boolean
  readonly algorithm: {
    readonly name: string
    readonly hash: { readonly name: string }
    readonly length: number
  }
  readonly usages: readonly string[]
  readonly #secret: Uint8Array

  constructor(secret: Uint8Array, hash: string, extractable: boolean, usages: readonly string[]) {
    this.#secret = secret
    this.extractable = extractable
    this.algorithm = { name: 'HMAC', hash: { name: hash }, length: secret.length * 8 }
    this.usages = usages
  }

  get [Symbol.toStringTag](): string {
    return 'CryptoKey'
  }

  static secretOf(key: CryptoKey): Uint8Array {
    return key.#secret
  }
}

const refusal = 'keys of formulas are for HMAC, with SHA-1, SHA-256, SHA-384 or SHA-512'

export async function importKey(
  format: string,
  data: unknown,
  algorithm: Algorithm,
  extractable: boolean,
  usages: readonly string[],
): Promise<CryptoKey> {
  const hash = nameOf(typeof algorithm === 'object' ? algorithm?.hash : undefined)
  const isKnown = nameOf(algorithm) === 'HMAC' && Object.hasOwn(webNames, hash)
  if (!isKnown || !['jwk', 'raw'].includes(format)) throw new TypeError(refusal)
  const secret = natives.copy(
    format === 'raw' ? data : Buffer.from(`${(data as { k?: unknown }).k}`, 'base64url'),
  )
  if (!secret || secret.length === 0) throw new TypeError('the key must be bytes, at least one')
  const used = [...usages].map(usage => `${usage}`)
  if (used.length === 0 || used.some(usage => !usagesOfHmac.includes(usage))) {
    throw new TypeError('a key for HMAC is used to sign or verify')
  }
  return new CryptoKey(secret, hash, Boolean(extractable), used)
}

export async function exportKey(format: string, key: CryptoKey): Promise<unknown> {
  const secret = CryptoKey.secretOf(key)
  if (!key.extractable) throw new TypeError('the key is not extractable')
  if (format === 'raw') return natives.copy(secret)?.buffer
  if (format !== 'jwk') throw new TypeError(refusal)
  return { kty: 'oct', k: Buffer.from(secret).toString('base64url'), ext: true, key_ops: [...key.usages] }
}

function hmac(key: CryptoKey, usage: string, data: unknown): Uint8Array {
  const secret = CryptoKey.secretOf(key)
  if (!key.usages.includes(usage)) throw new TypeError(`the key is not for ${usage}`)
  const made = natives.hmac(webNames[key.algorithm.hash.name] ?? '', secret, data)
  if (!made) throw new TypeError('an HMAC is made of bytes')
  return made
}

export async function sign(_algorithm: Algorithm, key: CryptoKey, data: unknown): Promise<ArrayBufferLike> {
  return hmac(key, 'sign', data).buffer
}

export async function verify(
  _algorithm: Algorithm,
  key: CryptoKey,
  signature: unknown,
  data: unknown,
): Promise<boolean> {
  return natives.equalBytes(hmac(key, 'verify', data), signature) ?? false
}

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
export function createSecretKey(key: unknown, encoding?: string): KeyObject {
  return new KeyObject(Buffer.from(key as string, encoding as 'utf8'))
}

/** Returns the bytes of a secret that is given as a key, text or bytes. */
export const secretBytes = (key: unknown): Uint8Array =>
  key instanceof KeyObject ? KeyObject.secretOf(key) : Buffer.from(key as string)

/** There, but of no use: packages for JSON Web Tokens try it first, and then take the key for a secret. */
export function createAsymmetricKey(): never {
  throw new TypeError('keys of formulas are secrets for HMAC; there are no public and private keys')
}
