import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { Random } from '../base/random.ts'

/**
 * Sealed boxes: AES-256-GCM under a subkey of their own.
 *
 *     format (1) | key version (4) | salt (16) | nonce (12) | ciphertext | tag (16)
 *
 * The subkey is HMAC-SHA256(data key, "box" | salt). The context (whose box this is) is authenticated: a box
 * copied to another place does not open there.
 *
 * Why nonces cannot repeat. GCM breaks where two boxes share both AES key and nonce. Salt and nonce are 28
 * fresh random bytes for each box, and only boxes with the same salt share a subkey, so two boxes collide
 * only where all 224 bits do: among 2^64 boxes under one data key with a chance of about 2^-97. Random nonces
 * under the data key itself would have to stop at 2^32 boxes. Nothing is counted, so there is no state that a
 * crash, a restored backup or a second process could turn back. A box that is written again, as on a retry, is
 * the same box. What is left is the generator: it must be the system's, and a process must not go on twice
 * from one image of its memory, as both would draw the same bytes (base/random.ts keeps up to 8 KB ahead).
 */
export const boxFormat = 1
const headerLength = 5
const saltLength = 16
const nonceLength = 12
const tagLength = 16
const bodyStart = headerLength + saltLength + nonceLength

export const keyLength = 32

/** A box that does not open: another key, another place, or changed bytes. */
export class BoxError extends Error {
  override readonly name = 'BoxError'
}

export interface SealingKey {
  readonly version: number
  readonly key: Uint8Array
}

function subkey(key: Uint8Array, salt: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update('box').update(salt).digest()
}

export function seal(key: SealingKey, context: string, plain: Uint8Array, random: Random): Uint8Array {
  const box = Buffer.allocUnsafe(bodyStart + plain.length + tagLength)
  box[0] = boxFormat
  box.writeUInt32BE(key.version, 1)
  box.set(random.bytes(saltLength + nonceLength), headerLength)
  const salt = box.subarray(headerLength, headerLength + saltLength)
  const nonce = box.subarray(headerLength + saltLength, bodyStart)
  const cipher = createCipheriv('aes-256-gcm', subkey(key.key, salt), nonce)
  cipher.setAAD(Buffer.from(`${boxFormat}|${context}`))
  box.set(cipher.update(plain), bodyStart)
  cipher.final()
  box.set(cipher.getAuthTag(), bodyStart + plain.length)
  return box
}

/** The version of the data key a box was sealed under. */
export function keyVersionOf(box: Uint8Array): number {
  if (box.length < bodyStart + tagLength || box[0] !== boxFormat) {
    throw new BoxError('this is no sealed box, or one of a newer format')
  }
  return new DataView(box.buffer, box.byteOffset, box.length).getUint32(1)
}

/** @throws {BoxError} */
export function open(key: SealingKey, context: string, box: Uint8Array): Uint8Array {
  if (keyVersionOf(box) !== key.version) throw new BoxError('the box was sealed under another key version')
  const salt = box.subarray(headerLength, headerLength + saltLength)
  const nonce = box.subarray(headerLength + saltLength, bodyStart)
  const decipher = createDecipheriv('aes-256-gcm', subkey(key.key, salt), nonce)
  decipher.setAAD(Buffer.from(`${boxFormat}|${context}`))
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
