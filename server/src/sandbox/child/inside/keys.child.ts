import type { KeyFacts } from '../native-keys.child.ts'
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

const isOurs = Symbol('key')

/** A key of `require('crypto')`. */
export abstract class KeyObject {
  abstract readonly type: 'secret' | 'private' | 'public'

  constructor(given: unknown) {
    if (given !== isOurs) throw new TypeError('Illegal constructor')
  }

  abstract export(options?: object): Buffer | string | object
  abstract equals(other: unknown): boolean
}

/** A key for HMACs and ciphers, as packages for JSON Web Tokens make of each secret. */
class SecretKey extends KeyObject {
  readonly type = 'secret'
  readonly #secret: Uint8Array

  constructor(given: unknown, secret: Uint8Array) {
    super(given)
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

  equals(other: unknown): boolean {
    return other instanceof SecretKey && (natives.equalBytes(this.#secret, other.#secret) ?? false)
  }

  static secretOf(key: SecretKey): Uint8Array {
    return key.#secret
  }
}

export function createSecretKey(key: unknown, encoding?: string): KeyObject {
  return new SecretKey(isOurs, Buffer.from(key as string, encoding as 'utf8'))
}

/** Returns the bytes of a secret that is given as a key, text or bytes. Never those of a key that may be public. */
export function secretBytes(key: unknown): Uint8Array {
  if (key instanceof SecretKey) return SecretKey.secretOf(key)
  if (key instanceof KeyObject) throw new TypeError('this takes a secret, not a private or public key')
  return Buffer.from(key as string)
}

/** A private or public key, kept as text: Node reads it anew at each use. */
class AsymmetricKey extends KeyObject {
  readonly type: 'private' | 'public'
  readonly asymmetricKeyType: string
  readonly asymmetricKeyDetails: object
  readonly #pem: string

  constructor(given: unknown, { type, pem, algorithm, details }: KeyFacts) {
    super(given)
    this.type = type
    this.#pem = pem
    this.asymmetricKeyType = algorithm
    const { publicExponent, ...others } = details
    this.asymmetricKeyDetails =
      publicExponent === undefined ? others : { ...others, publicExponent: BigInt(publicExponent) }
  }

  export({ format = 'pem', type }: { readonly format?: string; readonly type?: string } = {}) {
    const made = natives.exportedKey(this.#pem, this.type, format, type)
    if (made === undefined) throw new TypeError('a key is exported as pem, der or jwk, without encryption')
    if (typeof made === 'object') return Buffer.from(made)
    return format === 'jwk' ? (JSON.parse(made) as object) : made
  }

  equals(other: unknown): boolean {
    return other instanceof AsymmetricKey && other.type === this.type && other.#pem === this.#pem
  }

  static pemOf(key: AsymmetricKey): string {
    return key.#pem
  }
}

interface GivenKey {
  readonly key?: unknown
  readonly format?: string
  readonly type?: string
  readonly passphrase?: unknown
}

const isOptions = (given: unknown): given is GivenKey =>
  typeof given === 'object' && given !== null && 'key' in given && !ArrayBuffer.isView(given)

/** @throws {TypeError} packages for JSON Web Tokens then take what they have for a secret */
function asymmetricKey(type: 'private' | 'public', given: unknown): AsymmetricKey {
  const { key, format = 'pem', type: encoding, passphrase } = isOptions(given) ? given : { key: given }
  if (key instanceof AsymmetricKey) {
    if (key.type === type) return key
    if (type === 'private') throw new TypeError('this takes a private key, not a public one')
    return asymmetricKey(type, AsymmetricKey.pemOf(key))
  }
  if (key instanceof KeyObject) throw new TypeError(`this takes a ${type} key, not a secret`)
  const isText = typeof key === 'string'
  const data = format === 'jwk' ? JSON.stringify(key) : isText ? key : natives.copy(key)
  const word =
    passphrase === undefined ? undefined : isText ? `${passphrase}` : Buffer.from(passphrase as string)
  const facts = natives.asymmetricKey(type, data, format, encoding, word)
  if (!facts) throw new TypeError(`this is not a ${type} key, or not one that formulas can use`)
  return new AsymmetricKey(isOurs, facts)
}

export const createPrivateKey = (given: unknown): KeyObject => asymmetricKey('private', given)
export const createPublicKey = (given: unknown): KeyObject => asymmetricKey('public', given)
/** Returns the text of a key that is given in any of the ways of Node. */
export const keyText = (type: 'private' | 'public', given: unknown): string =>
  AsymmetricKey.pemOf(asymmetricKey(type, given))

/** Classes that are only reachable through instances. */
export const keyPrototypes = [SecretKey.prototype, AsymmetricKey.prototype]
