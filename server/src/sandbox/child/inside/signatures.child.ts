import { Buffer } from './buffer.child.ts'
import { natives } from './host.child.ts'
import { keyText } from './keys.child.ts'

interface Options {
  readonly padding?: unknown
  readonly saltLength?: unknown
  readonly dsaEncoding?: unknown
  readonly oaepHash?: unknown
}

const numberOf = (value: unknown) => (value === undefined ? undefined : Number(value))
const textOf = (value: unknown) => (value === undefined ? undefined : `${value}`)

/** Returns the members of a key's options that say how it is used, read once. */
function schemeOf(key: unknown) {
  const isObject = typeof key === 'object' && key !== null && !ArrayBuffer.isView(key)
  const { padding, saltLength, dsaEncoding, oaepHash }: Options = isObject ? key : {}
  return {
    padding: numberOf(padding),
    saltLength: numberOf(saltLength),
    dsaEncoding: textOf(dsaEncoding),
    oaepHash: textOf(oaepHash)?.toLowerCase().replace('-', ''),
  }
}

/** `sha256` of `RSA-SHA256`, `SHA256` or `sha-256`. */
const hashOf = (algorithm: unknown) => `${algorithm}`.toLowerCase().replace(/^rsa-/, '').replace('-', '')
const hashes = ['sha1', 'sha256', 'sha384', 'sha512']

/** The common part of `createSign` and `createVerify`: data that come in parts. */
class Signed {
  readonly #hash: string
  readonly #chunks: Uint8Array[] = []

  constructor(algorithm: unknown) {
    this.#hash = hashOf(algorithm)
    if (!hashes.includes(this.#hash)) {
      throw new TypeError('unknown algorithm; use RSA-SHA256, RSA-SHA384, RSA-SHA512, or sha256 …')
    }
  }

  update(data: unknown, encoding?: string): this {
    this.#chunks.push(Buffer.from(data as string, encoding as 'utf8'))
    return this
  }

  static dataOf(signed: Signed): readonly [hash: string, bytes: Uint8Array] {
    return [signed.#hash, Buffer.concat(signed.#chunks)]
  }
}

class Sign extends Signed {
  sign(key: unknown, encoding?: string): Buffer | string {
    const [hash, bytes] = Signed.dataOf(this)
    const made = natives.sign(hash, keyText('private', key), schemeOf(key), bytes)
    if (!made) throw new Error('the key does not sign this: at most 16 MiB, and a padding for signatures')
    const signature = Buffer.from(made)
    return encoding === undefined || encoding === 'buffer'
      ? signature
      : signature.toString(encoding as 'utf8')
  }
}

class Verify extends Signed {
  verify(key: unknown, signature: unknown, encoding?: string): boolean {
    const [hash, bytes] = Signed.dataOf(this)
    const given = typeof signature === 'string' ? Buffer.from(signature, encoding as 'utf8') : signature
    return natives.verify(hash, keyText('public', key), schemeOf(key), bytes, given) ?? false
  }
}

export const createSign = (algorithm: unknown): Sign => new Sign(algorithm)
export const createVerify = (algorithm: unknown): Verify => new Verify(algorithm)

const bytesOf = (data: unknown) => (typeof data === 'string' ? Buffer.from(data) : data)

/** Encrypts by RSA, by default with OAEP and SHA-1, as Node does. */
export function publicEncrypt(key: unknown, data: unknown): Buffer {
  const made = natives.publicEncrypt(keyText('public', key), schemeOf(key), bytesOf(data))
  if (!made)
    throw new Error('the key does not encrypt this: the data are longer than it allows, or not bytes')
  return Buffer.from(made)
}

export function privateDecrypt(key: unknown, data: unknown): Buffer {
  const made = natives.privateDecrypt(keyText('private', key), schemeOf(key), bytesOf(data))
  if (!made) throw new Error('the key does not decrypt this')
  return Buffer.from(made)
}

/** The classes are only reachable through instances. */
export const signaturePrototypes = [Signed.prototype, Sign.prototype, Verify.prototype]
