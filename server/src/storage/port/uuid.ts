import type { Digest } from './port.ts'

/** A UUID and a digest are both 16 bytes, so each can be written as the other. */
export function digestOfUuid(uuid: string): Digest {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url') as Digest
}

export function uuidOfDigest(digest: Digest): string {
  const hex = Buffer.from(digest, 'base64url').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
