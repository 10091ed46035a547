import type { Digest, DocumentKind } from './port/port.ts'

/**
 * Thrown for a stored record that does not open: it was changed, cut off or moved. The code, which the log shows,
 * tells where the record is stored, in digests, and nothing of its content.
 */
export class BrokenRecord extends Error {
  override readonly name = 'BrokenRecord'
  readonly kind: DocumentKind
  readonly tenant: string
  readonly address: Digest

  constructor(kind: DocumentKind, tenant: string, address: Digest) {
    super('a stored record does not open')
    this.kind = kind
    this.tenant = tenant
    this.address = address
  }

  get code(): string {
    return `${this.kind}/${this.tenant}/${this.address}`
  }
}
