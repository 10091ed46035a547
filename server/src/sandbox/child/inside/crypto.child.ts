import { Buffer } from './buffer.child.ts'
import { cipherPrototype, createCipheriv, createDecipheriv } from './ciphers.child.ts'
import { natives } from './host.child.ts'
import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  exportKey,
  importKey,
  KeyObject,
  keyPrototypes,
  secretBytes,
  sign,
  verify,
  webNames,
} from './keys.child.ts'
import {
  createSign,
  createVerify,
  privateDecrypt,
  publicEncrypt,
  signaturePrototypes,
} from './signatures.child.ts'

function getRandomValues<T>(bytes: T): T {
  if (!natives.fillRandom(bytes)) {
    throw new TypeError('getRandomValues takes a typed array of at most 65536 bytes')
  }
  return bytes
}

const randomUUID = () => natives.uuid() ?? ''

/** The part of Web Crypto that formulas have: hashes, and keys for HMACs. */
export const crypto = {
  randomUUID,
  getRandomValues,
  subtle: {
    async digest(algorithm: string | { name: string }, data: unknown): Promise<ArrayBufferLike> {
      const name = `${typeof algorithm === 'object' ? algorithm?.name : algorithm}`.toUpperCase()
      const known = Object.hasOwn(webNames, name) ? webNames[name] : undefined
      const digest = known === undefined ? undefined : natives.digest(known, data)
      if (!digest) throw new TypeError('digest takes bytes, and SHA-1, SHA-256, SHA-384 or SHA-512')
      return digest.buffer
    },
    importKey,
    exportKey,
    sign,
    verify,
  },
}

class Digest {
  #chunks: Uint8Array[] | undefined = []
  readonly #finish: (bytes: Uint8Array) => Uint8Array | undefined

  constructor(finish: (bytes: Uint8Array) => Uint8Array | undefined) {
    this.#finish = finish
    // Tried on empty input, so that an unknown algorithm is refused at once.
    if (!finish(new Uint8Array(0))) {
      throw new TypeError('unknown algorithm; use md5, sha1, sha256, sha384 or sha512')
    }
  }

  update(data: unknown, encoding?: string): this {
    if (!this.#chunks) throw new TypeError('digest was already called')
    this.#chunks.push(Buffer.from(data as string, encoding as 'utf8'))
    return this
  }

  copy(): Digest {
    const copied = new Digest(this.#finish)
    if (!this.#chunks) throw new TypeError('digest was already called')
    copied.#chunks = [...this.#chunks]
    return copied
  }

  digest(encoding?: string): Buffer | string {
    if (!this.#chunks) throw new TypeError('digest was already called')
    const bytes = this.#finish(Buffer.concat(this.#chunks)) ?? new Uint8Array(0)
    this.#chunks = undefined
    const digest = Buffer.from(bytes)
    return encoding === undefined || encoding === 'buffer' ? digest : digest.toString(encoding as 'utf8')
  }
}

const lower = (name: unknown) => `${name}`.toLowerCase().replace('-', '')

/** Fills a typed array, or a part of it, with random bytes, and returns it. */
function randomFillSync<T extends Uint8Array>(made: T, offset = 0, size?: number): T {
  const { buffer, byteOffset, byteLength } = made
  const bytes = new Uint8Array(buffer, byteOffset, byteLength).subarray(
    offset,
    size === undefined ? undefined : offset + size,
  )
  for (let at = 0; at < bytes.length; at += 65_536) getRandomValues(bytes.subarray(at, at + 65_536))
  return made
}

const randomBytes = (size: number): Buffer => randomFillSync(Buffer.alloc(size))

/** Of OpenSSL. */
const constants = {
  RSA_NO_PADDING: 3,
  RSA_PKCS1_OAEP_PADDING: 4,
  RSA_PKCS1_PADDING: 1,
  RSA_PKCS1_PSS_PADDING: 6,
  RSA_PSS_SALTLEN_AUTO: -2,
  RSA_PSS_SALTLEN_DIGEST: -1,
  RSA_PSS_SALTLEN_MAX_SIGN: -2,
}

/** The exports of `require('crypto')`. */
export const nodeCrypto = {
  constants,
  createHash: (algorithm: unknown) => new Digest(bytes => natives.digest(lower(algorithm), bytes)),
  createHmac: (algorithm: unknown, key: unknown) => {
    const secret = secretBytes(key)
    return new Digest(bytes => natives.hmac(lower(algorithm), secret, bytes))
  },
  getHashes: () => ['md5', 'sha1', 'sha256', 'sha384', 'sha512'],
  getCiphers: () => natives.cipherNames(),
  getCurves: () => [],
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  createSign,
  createVerify,
  privateDecrypt,
  publicEncrypt,
  KeyObject,
  randomBytes,
  randomFillSync,
  randomUUID,
  randomInt(low: number, high?: number): number {
    const [from, to] = high === undefined ? [0, low] : [low, high]
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to <= from) {
      throw new RangeError('randomInt takes safe integers, the second greater than the first')
    }
    return from + Math.floor(natives.random() * (to - from))
  },
  timingSafeEqual(a: unknown, b: unknown): boolean {
    const equal = natives.equalBytes(a, b)
    if (equal === undefined) throw new RangeError('timingSafeEqual takes two byte arrays of the same length')
    return equal
  },
  getRandomValues,
  webcrypto: crypto,
}

/** Classes that are only reachable through instances. */
export const cryptoPrototypes = [Digest.prototype, cipherPrototype, ...keyPrototypes, ...signaturePrototypes]
