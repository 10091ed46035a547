import type { Digest, DocumentKind } from '../port.ts'

/**
 * A stored record that does not open: changed, cut off, or put in a place that is not its own. It says where
 * the record stands, in digests, and nothing of what it holds; the log shows that as the error's code.
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
