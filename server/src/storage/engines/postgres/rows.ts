import type { Digest, DocumentKind, StoredDocument } from '../../port.ts'

/** The database keeps digests as UUIDs: 16 bytes, and an array of them can be indexed. */
export function uuidOf(digest: Digest): string {
  return Buffer.from(digest, 'base64url').toString('hex')
}

export function digestOf(uuid: string): Digest {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url') as Digest
}

/** An array of UUIDs, as the database writes and reads one. */
export function uuidArrayOf(digests: readonly Digest[]): string {
  return `{${digests.map(uuidOf).join(',')}}`
}

export function digestsOf(uuids: string): Digest[] {
  return uuids === '{}' ? [] : uuids.slice(1, -1).split(',').map(digestOf)
}

/** A row of `documentColumns`, every value as the database spells it. */
export type DocumentRow = readonly [
  id: string,
  version: string,
  createdUs: string,
  modifiedUs: string | null,
  dueMs: string | null,
  terms: string,
  uniques: string,
  box: string,
]

export function documentOf(kind: DocumentKind, tenant: string, row: DocumentRow): StoredDocument {
  const [id, version, createdUs, modifiedUs, dueMs, terms, uniques, box] = row
  return {
    kind,
    tenant,
    id: digestOf(id),
    version: Number(version),
    createdUs: Number(createdUs),
    terms: digestsOf(terms),
    uniques: digestsOf(uniques),
    // Behind the two characters that say it is hexadecimal.
    box: Buffer.from(box.slice(2), 'hex'),
    ...(modifiedUs === null ? {} : { modifiedUs: Number(modifiedUs) }),
    ...(dueMs === null ? {} : { dueMs: Number(dueMs) }),
  }
}
