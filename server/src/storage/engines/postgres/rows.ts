import { type DocumentHeader, documentWith } from '../../port/decide.ts'
import { kindOfLetter, letterOf } from '../../port/kinds.ts'
import {
  type Digest,
  type DocumentKind,
  digestOfUuid,
  type StoredDocument,
  uuidOfDigest,
} from '../../port/port.ts'
import type { Statement } from './sql.ts'

/** The database keeps the code of a kind's letter. */
export const numberOf = (kind: DocumentKind): number => letterOf(kind).charCodeAt(0)

export function kindOf(number: number): DocumentKind {
  const kind = kindOfLetter(String.fromCharCode(number))
  if (!kind) throw new Error(`the database holds documents of the unknown kind ${number}`)
  return kind
}

const types = { getTypeParser: () => (value: string) => value }

/** Values in the database's text form. */
export type Row = readonly string[]

/** Sends a statement, and returns its rows. */
export type Ask = (statement: Statement, values: unknown[]) => Promise<readonly Row[]>

/** Returns a function that sends statements. @param limits further settings of each */
export function askOf(
  client: { query(query: object): Promise<{ readonly rows: unknown[] }> },
  limits: object = {},
): Ask {
  return async (statement, given) => {
    const values = given.map(value => (Array.isArray(value) ? listOf(value) : value))
    const { rows } = await client.query({ ...limits, ...statement, values, rowMode: 'array', types })
    return rows as Row[]
  }
}

/** Numbers and UUIDs in the database's text form. The driver would quote each, and look for characters to escape. */
const listOf = (values: readonly unknown[]) => `{${values.map(value => value ?? 'NULL').join(',')}}`

export const uuidsOf = (digests: Iterable<Digest>) => Array.from(digests, uuidOfDigest)

/** Without the prefix `\\x`. */
export const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')

const digestBytes = 16

function digestsOf(text: string): Digest[] {
  const bytes = bytesOf(text)
  const digests: Digest[] = []
  for (let at = 0; at < bytes.length; at += digestBytes)
    digests.push(bytes.toString('base64url', at, at + digestBytes) as Digest)
  return digests
}

/** The rows that a statement writes. */
export class Rows {
  readonly #columns: unknown[][] = []
  count = 0

  add(...row: readonly unknown[]): void {
    this.count++
    for (const [at, value] of row.entries()) {
      const column = this.#columns[at]
      if (column) column.push(value)
      else this.#columns.push([value])
    }
  }

  /** The values of the statement after the tenant: a list for each column. */
  values(): readonly unknown[] {
    return this.#columns
  }
}

/**
 * Rows with bytes. The statement gets those of all rows in one value, before the columns, and cuts them by the
 * positions and lengths that are in the columns.
 */
export class PackedRows extends Rows {
  readonly #parts: Uint8Array[] = []
  /** The position of the next byte, counted from 1. */
  at = 1

  /** Returns the number of bytes. */
  pack(bytes: Uint8Array): number {
    this.#parts.push(bytes)
    this.at += bytes.length
    return bytes.length
  }

  packDigests(digests: readonly Digest[]): number {
    const bytes = Buffer.allocUnsafe(digests.length * digestBytes)
    for (const [index, digest] of digests.entries()) bytes.write(digest, index * digestBytes, 'base64url')
    return this.pack(bytes)
  }

  override values(): readonly unknown[] {
    return [Buffer.concat(this.#parts), ...super.values()]
  }
}

/** The columns of a document before its box. */
type HeaderRow = readonly [
  id: string,
  ordinal: string,
  version: string,
  createdUs: string,
  modifiedUs: string | null,
  dueMs: string | null,
  terms: string,
  uniques: string,
]

export function headerOf(row: Row): readonly [id: Digest, header: DocumentHeader] {
  const [id, ordinal, version, createdUs, modifiedUs, dueMs, terms, uniques] = row as unknown as HeaderRow
  const header = {
    ordinal: Number(ordinal),
    version: Number(version),
    createdUs: Number(createdUs),
    modifiedUs: modifiedUs === null ? undefined : Number(modifiedUs),
    dueMs: dueMs === null ? undefined : Number(dueMs),
    terms: digestsOf(terms),
    uniques: digestsOf(uniques),
  }
  return [digestOfUuid(id), header]
}

const boxColumn = 8

export function documentOf(kind: DocumentKind, tenant: string, row: Row): StoredDocument {
  const [id, header] = headerOf(row)
  return documentWith(header, { kind, tenant, id }, bytesOf(row[boxColumn] as string))
}

/** True if the box of a document is not in its row. */
export const isWithoutBox = (row: Row) => (row as readonly unknown[])[boxColumn] === null

export function placeOf(row: Row) {
  const [id, , , createdUs] = row as unknown as HeaderRow
  return { id: digestOfUuid(id), createdUs: Number(createdUs) }
}

/** Groups items by a key, in their order: `Map.groupBy`, which Node 20 does not have. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
