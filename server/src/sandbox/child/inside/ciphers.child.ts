import type { NativeCipher } from '../native-ciphers.child.ts'
import { Buffer } from './buffer.child.ts'
import { natives } from './host.child.ts'
import { secretBytes } from './keys.child.ts'

/** How many bytes a text of an encoding is made of at a time. */
const groups: Readonly<Record<string, number>> = { base64: 3, base64url: 3, utf16le: 2, ucs2: 2 }

/** Makes one text of bytes that come in parts, wherever these are cut. */
class Output {
  readonly #decode: ((bytes: unknown, stream: boolean) => string | undefined) | undefined
  readonly #encoding: string
  #rest: Uint8Array = new Uint8Array(0)

  constructor(encoding: string) {
    this.#encoding = encoding
    if (/^utf-?8$/i.test(encoding)) this.#decode = natives.decoder('utf-8', false, true)?.decode
  }

  add(bytes: Uint8Array, isLast: boolean): string {
    if (this.#decode) return this.#decode(bytes, !isLast) ?? ''
    const all = Buffer.concat([this.#rest, bytes])
    const whole = isLast
      ? all.length
      : all.length - (all.length % (groups[this.#encoding.toLowerCase()] ?? 1))
    this.#rest = all.subarray(whole)
    return all.toString(this.#encoding as 'utf8', 0, whole)
  }
}

const given = (data: unknown, encoding: unknown): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data, (encoding ?? 'utf8') as 'utf8') : (data as Uint8Array)

/** What `createCipheriv` and `createDecipheriv` return: AES in the modes GCM and CBC. */
class Cipher {
  readonly #native: NativeCipher
  #output: Output | undefined

  constructor(native: NativeCipher) {
    this.#native = native
  }

  #shown(bytes: Uint8Array, encoding: unknown, isLast: boolean): Buffer | string {
    if (encoding === undefined || encoding === 'buffer') return Buffer.from(bytes)
    this.#output ??= new Output(`${encoding}`)
    return this.#output.add(bytes, isLast)
  }

  update(data: unknown, inputEncoding?: unknown, outputEncoding?: unknown): Buffer | string {
    const bytes = this.#native.update(given(data, inputEncoding))
    if (!bytes) throw new TypeError('a cipher takes text or bytes, at most 16 MiB, and none after its end')
    return this.#shown(bytes, outputEncoding, false)
  }

  final(outputEncoding?: unknown): Buffer | string {
    const bytes = this.#native.final()
    if (!bytes) throw new Error('the data cannot be decrypted, or are not a whole number of blocks')
    return this.#shown(bytes, outputEncoding, true)
  }

  setAAD(data: unknown): this {
    return this.#set(this.#native.setAad(data), 'additional data')
  }

  setAuthTag(tag: unknown): this {
    return this.#set(this.#native.setTag(tag), 'a tag of 12 to 16 bytes')
  }

  setAutoPadding(isOn: unknown = true): this {
    return this.#set(this.#native.setPadding(Boolean(isOn)), 'padding')
  }

  getAuthTag(): Buffer {
    const tag = this.#native.tag()
    if (!tag) throw new Error('there is a tag when a cipher of GCM has ended')
    return Buffer.from(tag)
  }

  #set(isSet: boolean | undefined, what: string): this {
    if (!isSet) throw new TypeError(`the cipher does not take ${what} now`)
    return this
  }
}

function create(isDecryption: boolean) {
  return (
    name: unknown,
    key: unknown,
    iv: unknown,
    options?: { readonly authTagLength?: number },
  ): Cipher => {
    const start = typeof iv === 'string' ? Buffer.from(iv) : iv
    const tagLength = options?.authTagLength
    const native = natives.cipher(
      isDecryption,
      `${name}`.toLowerCase(),
      secretBytes(key),
      start,
      tagLength === undefined ? undefined : Number(tagLength),
    )
    if (native) return new Cipher(native)
    throw new TypeError(
      `not a cipher, or a key or an initialization vector of another length; ciphers: ${natives.cipherNames().join(', ')}`,
    )
  }
}

export const createCipheriv = create(false)
export const createDecipheriv = create(true)
/** The class is only reachable through an instance. */
export const cipherPrototype = Cipher.prototype
