import {
  type Digest,
  type DocumentKind,
  digestOfUuid,
  type StoredDocument,
  uuidOfDigest,
} from '../../port/port.ts'
import type { Statement } from './sql.ts'

const types = { getTypeParser: () => (value: string) => value }

/** A query for rows whose values stay in the database's text form. */
export function rowsOf<Values extends unknown[]>(statement: Statement, values: Values) {
  return { ...statement, values, rowMode: 'array' as const, types }
}

/** The text form of an array of digests: the database keeps digests as UUIDs, whose arrays it can index. */
export function uuidArrayOf(digests: readonly Digest[]): string {
  return `{${digests.map(uuidOfDigest).join(',')}}`
}

export function digestsOf(uuids: string): Digest[] {
  return uuids === '{}' ? [] : uuids.slice(1, -1).split(',').map(digestOfUuid)
}

/** A row of `documents`, every value in the database's text form. */
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
    id: digestOfUuid(id),
    version: Number(version),
    createdUs: Number(createdUs),
    terms: digestsOf(terms),
    uniques: digestsOf(uniques),
    // Without the prefix `\\x`.
    box: Buffer.from(box.slice(2), 'hex'),
    ...(modifiedUs === null ? {} : { modifiedUs: Number(modifiedUs) }),
    ...(dueMs === null ? {} : { dueMs: Number(dueMs) }),
  }
}
