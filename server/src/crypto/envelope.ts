import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { ClearingCache } from '../base/cache.ts'
import type { Random } from '../base/random.ts'

/**
 * Sealed boxes: AES-256-GCM under a subkey of a sealing key.
 *
 *     format (1) | key version (4) | salt (16) | nonce (12) | ciphertext | tag (16)
 *
 * The subkey is HMAC-SHA256(data key, "box" | salt). The context, which says whose box it is, is authenticated: a
 * box that was copied to another place does not open there.
 *
 * Why nonces do not repeat: GCM breaks where two boxes share both AES key and nonce. Only boxes with the same salt
 * share a subkey. `seal` uses a new random salt for each box; a `Sealer` uses one for up to
 * `boxesPerSalt` boxes, each with 12 random bytes as its nonce. Among the 2^10 boxes of one subkey, two nonces are
 * equal with probability 2^-77. 2^48 boxes under one data key (ten thousand a second for 890 years) have 2^38
 * subkeys, so two nonces of one subkey are equal with probability 2^-39, and two salts with 2^-53. Random nonces
 * under the data key itself would be safe only up to 2^32 boxes.
 *
 * No counter is stored that a crash, a restored backup or a second process could turn back: each start uses a new
 * salt. A retry seals again, with another nonce. The random generator must be the system's, and a process must not be
 * resumed twice from one image of its memory, as both would use the same bytes (base/random.ts keeps up to 8 KB).
 */
const boxFormat = 1
const headerLength = 5
const saltLength = 16
const nonceLength = 12
const tagLength = 16
const saltEnd = headerLength + saltLength
const bodyStart = saltEnd + nonceLength

export const keyLength = 32

/** The number of boxes that may share a salt, and with it a subkey. */
export const boxesPerSalt = 1024

export interface SealingKey {
  readonly version: number
  readonly key: Uint8Array
}

/** A key derived from a sealing key of this version with a salt. */
interface Subkey {
  readonly version: number
  readonly salt: Uint8Array
  readonly key: Uint8Array
}

/** Seals a box under a salt of its own. */
export function seal(key: SealingKey, context: string, plain: Uint8Array, random: Random): Uint8Array {
  return sealUnder(drawSubkey(key, random), context, plain, random)
}

/** Opens a box. Returns `undefined` if it was sealed under another key, moved, or changed. */
export function open(key: SealingKey, context: string, box: Uint8Array): Buffer | undefined {
  if (keyVersionOf(box) !== key.version) return undefined
  return openUnder(deriveSubkey(key, saltOf(box)), context, box)
}

/** Returns a new subkey, for up to `boxesPerSalt` boxes. */
function drawSubkey(key: SealingKey, random: Random): Subkey {
  return deriveSubkey(key, random.bytes(saltLength))
}

/** Derives the subkey of boxes with this salt. */
export function deriveSubkey({ version, key }: SealingKey, salt: Uint8Array): Subkey {
  return { version, salt, key: createHmac('sha256', key).update('box').update(salt).digest() }
}

/** @param plain given as text, its bytes are made by the cipher: a `Buffer` of them would take a fifth of the time */
function sealUnder(subkey: Subkey, context: string, plain: string | Uint8Array, random: Random): Uint8Array {
  const nonce = random.bytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', subkey.key, nonce)
  cipher.setAAD(additionalData(context))
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  cipher.final()
  const box = Buffer.allocUnsafe(bodyStart + body.length + tagLength)
  box[0] = boxFormat
  box.writeUInt32BE(subkey.version, 1)
  box.set(subkey.salt, headerLength)
  box.set(nonce, saltEnd)
  box.set(body, bodyStart)
  box.set(cipher.getAuthTag(), bodyStart + body.length)
  return box
}

/** Returns the version of the key that a box was sealed under; `undefined` for one that no key opens. */
export function keyVersionOf(box: Uint8Array): number | undefined {
  if (box.length < bodyStart + tagLength || box[0] !== boxFormat) return undefined
  return new DataView(box.buffer, box.byteOffset, box.length).getUint32(1)
}

/** Returns the salt of a box, as a view. */
export function saltOf(box: Uint8Array): Uint8Array {
  return box.subarray(headerLength, saltEnd)
}

/** Like `open`, for a box with the salt and the key version of the subkey. */
function openUnder(subkey: Subkey, context: string, box: Uint8Array): Buffer | undefined {
  const nonce = box.subarray(saltEnd, bodyStart)
  const decipher = createDecipheriv('aes-256-gcm', subkey.key, nonce)
  decipher.setAAD(additionalData(context))
  decipher.setAuthTag(box.subarray(box.length - tagLength))
  const plain = decipher.update(box.subarray(bodyStart, box.length - tagLength))
  try {
    decipher.final()
  } catch {
    plain.fill(0)
    return undefined
  }
  return plain
}

function additionalData(context: string): Buffer {
  return Buffer.from(`${boxFormat}|${context}`)
}

/** Subkeys kept for opening boxes, of about two million boxes: some 500 kB. */
const mostSubkeys = 2048

/**
 * Seals and opens the boxes of one data key. Derives a subkey once for many boxes, as that is 3 of the 9 µs that a
 * box takes. Consecutive boxes share a salt. Every box carries its salt, so boxes sealed by other processes open too.
 */
export class Sealer {
  readonly #key: SealingKey
  readonly #random: Random
  #subkey: Subkey | undefined
  /** Number of boxes that may still be sealed under it. */
  #left = 0
  /** By salt. */
  readonly #subkeys = new ClearingCache<string, Subkey>(mostSubkeys)

  constructor(key: SealingKey, random: Random) {
    this.#key = key
    this.#random = random
  }

  seal(context: string, plain: string | Uint8Array): Uint8Array {
    if (!this.#subkey || this.#left === 0) {
      this.#subkey = drawSubkey(this.#key, this.#random)
      this.#left = boxesPerSalt
    }
    this.#left--
    return sealUnder(this.#subkey, context, plain, this.#random)
  }

  /** Opens a box. Returns `undefined` if it was sealed under another key, moved, or changed. */
  open(context: string, box: Uint8Array): Buffer | undefined {
    if (keyVersionOf(box) !== this.#key.version) return undefined
    return openUnder(this.#subkeyFor(saltOf(box)), context, box)
  }

  #subkeyFor(salt: Uint8Array): Subkey {
    const name = Buffer.from(salt.buffer, salt.byteOffset, salt.length).toString('latin1')
    return this.#subkeys.of(name, () => deriveSubkey(this.#key, Uint8Array.from(salt)))
  }
}
