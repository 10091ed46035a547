import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { joined } from './keyed-digest.ts'

/** A key of 32 bytes that only who knows the secret can make again; apart for each purpose. */
export function deriveKey(secret: string, purpose: string, ...parts: readonly string[]): Uint8Array {
  return createHmac('sha256', secret)
    .update(joined([purpose, ...parts]))
    .digest()
}

/** All 32 bytes over raw bytes, in hex. */
export function keyedBytesDigestHex(key: Uint8Array, label: string, bytes: Uint8Array): string {
  return createHmac('sha256', key)
    .update(joined([label]))
    .update(bytes)
    .digest('hex')
}

/** HMAC-SHA256 over the parts as they stand one behind the other, in base64: what other systems can compute too. */
export function hmacBase64(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('base64')
}

/** SHA-256 over some facts and the bytes behind them, in hex. */
export function digestOfFacts(facts: string, bytes: Uint8Array): string {
  return createHash('sha256')
    .update(joined([facts]))
    .update(bytes)
    .digest('hex')
}

/** Of text that is no secret, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Compares digests of one length without telling by time where they differ. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
