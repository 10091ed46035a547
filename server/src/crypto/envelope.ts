import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { Random } from '../base/random.ts'

/**
 * Sealed boxes: AES-256-GCM under a subkey of the data key.
 *
 *     format (1) | key version (4) | salt (16) | nonce (12) | ciphertext | tag (16)
 *
 * The subkey is HMAC-SHA256(data key, "box" | salt). The context (whose box this is) is authenticated: a box
 * copied to another place does not open there.
 *
 * Why nonces cannot repeat. GCM breaks where two boxes share both AES key and nonce. Only boxes with the same
 * salt share a subkey. `seal` draws a salt for its box alone; a `Sealer` (sealer.ts) draws one for at most
 * `boxesPerSalt` boxes, each with 12 fresh random bytes as its nonce. Among 2^10 boxes of one subkey two nonces
 * meet with a chance of 2^-77; 2^48 boxes under one data key (ten thousand a second for 890 years) have 2^38
 * subkeys, so somewhere with 2^-39, and two of their salts with 2^-53. Random nonces under the data key itself
 * would have to stop at 2^32 boxes.
 * Nothing that counts is ever stored, so there is no state that a crash, a restored backup or a second process
 * could turn back: who starts anew draws a new salt. A box that is written again, as on a retry, is the same box.
 * What is left is the generator: it must be the system's, and a process must not go on twice from one image of
 * its memory, as both would draw the same bytes (base/random.ts keeps up to 8 KB ahead).
 */
export const boxFormat = 1
const headerLength = 5
const saltLength = 16
const nonceLength = 12
const tagLength = 16
const saltEnd = headerLength + saltLength
const bodyStart = saltEnd + nonceLength

export const keyLength = 32

/** How many boxes may share a salt, and with it a subkey. */
export const boxesPerSalt = 1024

/** A box that does not open: another key, another place, or changed bytes. */
export class BoxError extends Error {
  override readonly name = 'BoxError'
}

export interface SealingKey {
  readonly version: number
  readonly key: Uint8Array
}

/** A salt, and the key that it makes of a sealing key of this version. */
export interface Subkey {
  readonly version: number
  readonly salt: Uint8Array
  readonly key: Uint8Array
}

/** A box under a salt of its own. */
export function seal(key: SealingKey, context: string, plain: Uint8Array, random: Random): Uint8Array {
  return sealUnder(drawSubkey(key, random), context, plain, random)
}

/** @throws {BoxError} */
export function open(key: SealingKey, context: string, box: Uint8Array): Uint8Array {
  if (keyVersionOf(box) !== key.version) throw new BoxError('the box was sealed under another key version')
  return openUnder(deriveSubkey(key, saltOf(box)), context, box)
}

/** A subkey that nobody has used, for `boxesPerSalt` boxes at most. */
export function drawSubkey(key: SealingKey, random: Random): Subkey {
  return deriveSubkey(key, random.bytes(saltLength))
}

/** The subkey of the box that this salt was taken from. */
export function deriveSubkey({ version, key }: SealingKey, salt: Uint8Array): Subkey {
  return { version, salt, key: createHmac('sha256', key).update('box').update(salt).digest() }
}

export function sealUnder(subkey: Subkey, context: string, plain: Uint8Array, random: Random): Uint8Array {
  const box = Buffer.allocUnsafe(bodyStart + plain.length + tagLength)
  const nonce = random.bytes(nonceLength)
  box[0] = boxFormat
  box.writeUInt32BE(subkey.version, 1)
  box.set(subkey.salt, headerLength)
  box.set(nonce, saltEnd)
  const cipher = createCipheriv('aes-256-gcm', subkey.key, nonce)
  cipher.setAAD(additionalData(context))
  box.set(cipher.update(plain), bodyStart)
  cipher.final()
  box.set(cipher.getAuthTag(), bodyStart + plain.length)
  return box
}

/** The version of the data key a box was sealed under. @throws {BoxError} */
export function keyVersionOf(box: Uint8Array): number {
  if (box.length < bodyStart + tagLength || box[0] !== boxFormat) {
    throw new BoxError('this is no sealed box, or one of a newer format')
  }
  return new DataView(box.buffer, box.byteOffset, box.length).getUint32(1)
}

/** The salt of a box, as a view of it. */
export function saltOf(box: Uint8Array): Uint8Array {
  return box.subarray(headerLength, saltEnd)
}

/** @throws {BoxError} */
export function openUnder(subkey: Subkey, context: string, box: Uint8Array): Uint8Array {
  const nonce = box.subarray(saltEnd, bodyStart)
  const decipher = createDecipheriv('aes-256-gcm', subkey.key, nonce)
  decipher.setAAD(additionalData(context))
  decipher.setAuthTag(box.subarray(box.length - tagLength))
  const plain = decipher.update(box.subarray(bodyStart, box.length - tagLength))
  try {
    decipher.final()
  } catch {
    plain.fill(0)
    throw new BoxError('the box does not open here')
  }
  return plain
}

function additionalData(context: string): Buffer {
  return Buffer.from(`${boxFormat}|${context}`)
}
