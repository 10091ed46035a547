import {
  constants,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  sign,
  verify,
} from 'node:crypto'
import { attempt, fresh, window } from './native-bytes.child.ts'

/** What formulas know of a private or public key. */
export interface KeyFacts {
  readonly type: 'private' | 'public'
  /** PKCS #8 or SubjectPublicKeyInfo. */
  readonly pem: string
  readonly algorithm: string
  readonly details: {
    readonly modulusLength?: number
    /** As text: JSON has no such number. */
    readonly publicExponent?: string
    readonly namedCurve?: string
  }
}

/** How a signature or an encryption is made, of names and numbers of Node. */
interface Scheme {
  readonly padding: number | undefined
  readonly saltLength?: number | undefined
  readonly dsaEncoding?: string | undefined
  readonly oaepHash?: string | undefined
}

const longestKey = 64 * 1024
const mostBytes = 16 * 1024 * 1024
const hashes = new Set<unknown>(['sha1', 'sha256', 'sha384', 'sha512'])
const paddings = new Set<unknown>([
  undefined,
  constants.RSA_PKCS1_PADDING,
  constants.RSA_PKCS1_OAEP_PADDING,
  constants.RSA_PKCS1_PSS_PADDING,
])

const bounded = (bytes: unknown, most: number): Buffer | undefined => {
  const view = window(bytes)
  return view && view.length <= most ? Buffer.from(view.buffer, view.byteOffset, view.length) : undefined
}

function read(type: unknown, data: unknown, format: string, encoding?: string, passphrase?: unknown) {
  const isText = typeof data === 'string'
  const key = isText ? data : bounded(data, longestKey)
  if (key === undefined || key.length > longestKey) return undefined
  const given = format === 'jwk' ? JSON.parse(`${key}`) : key
  const secret =
    typeof passphrase === 'string' || passphrase === undefined ? passphrase : bounded(passphrase, 1024)
  const options = {
    key: given,
    format,
    ...(encoding ? { type: encoding } : {}),
    ...(secret ? { passphrase: secret } : {}),
  }
  return type === 'private' ? createPrivateKey(options as never) : createPublicKey(options as never)
}

function factsOf(key: KeyObject): KeyFacts {
  const isPrivate = key.type === 'private'
  const { modulusLength, publicExponent, namedCurve } = key.asymmetricKeyDetails ?? {}
  const details = {
    ...(modulusLength === undefined ? {} : { modulusLength }),
    ...(publicExponent === undefined ? {} : { publicExponent: `${publicExponent}` }),
    ...(namedCurve === undefined ? {} : { namedCurve }),
  }
  return Object.freeze({
    type: isPrivate ? 'private' : 'public',
    pem: `${key.export({ format: 'pem', type: isPrivate ? 'pkcs8' : 'spki' })}`,
    algorithm: `${key.asymmetricKeyType}`,
    details: Object.freeze(details),
  })
}

function exported(pem: string, type: string, format: string, encoding: string | undefined) {
  const key = read(type, pem, 'pem')
  const made = key?.export({ format, type: encoding ?? (type === 'private' ? 'pkcs8' : 'spki') } as never)
  if (made === undefined) return undefined
  if (format === 'jwk') return JSON.stringify(made)
  return format === 'der' ? fresh(made as unknown as Uint8Array) : `${made}`
}

const optionsOf = (key: KeyObject, { padding, saltLength, dsaEncoding, oaepHash }: Scheme) => ({
  key,
  ...(padding === undefined ? {} : { padding }),
  ...(saltLength === undefined ? {} : { saltLength }),
  ...(dsaEncoding === undefined ? {} : { dsaEncoding: dsaEncoding as 'der' }),
  ...(oaepHash === undefined ? {} : { oaepHash }),
})

/** Runs work with a key and bytes that are within their bounds. */
function withKey<T>(
  type: 'private' | 'public',
  pem: string,
  { padding, saltLength, dsaEncoding, oaepHash }: Scheme,
  data: unknown,
  work: (options: ReturnType<typeof optionsOf>, bytes: Buffer) => T,
): T | undefined {
  return attempt(() => {
    const key = read(type, `${pem}`, 'pem')
    const bytes = bounded(data, mostBytes)
    const isKnown = paddings.has(padding) && (oaepHash === undefined || hashes.has(oaepHash))
    if (!key || !bytes || !isKnown) return undefined
    return work(optionsOf(key, { padding, saltLength, dsaEncoding, oaepHash }), bytes)
  })
}

/** Functions of Node for private and public keys, as texts. All of them return `undefined` for what they cannot do. */
export const nativeKeys = {
  asymmetricKey: (type: string, data: unknown, format: string, encoding?: string, passphrase?: unknown) =>
    attempt(() => {
      const key = read(type, data, `${format}`, encoding, passphrase)
      return key && factsOf(key)
    }),
  exportedKey: (pem: string, type: string, format: string, encoding?: string) =>
    attempt(() => exported(pem, type, format, encoding)),
  sign: (hash: string, pem: string, scheme: Scheme, data: unknown) =>
    withKey('private', pem, scheme, data, (options, bytes) =>
      hashes.has(hash) ? fresh(sign(hash, bytes, options)) : undefined,
    ),
  verify: (hash: string, pem: string, scheme: Scheme, data: unknown, signature: unknown) =>
    withKey('public', pem, scheme, data, (options, bytes) => {
      const given = bounded(signature, longestKey)
      return given && hashes.has(hash) ? verify(hash, bytes, options, given) : undefined
    }),
  publicEncrypt: (pem: string, scheme: Scheme, data: unknown) =>
    withKey('public', pem, scheme, data, (options, bytes) => fresh(publicEncrypt(options, bytes))),
  privateDecrypt: (pem: string, scheme: Scheme, data: unknown) =>
    withKey('private', pem, scheme, data, (options, bytes) => fresh(privateDecrypt(options, bytes))),
}
