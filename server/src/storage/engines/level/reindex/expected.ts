import type { Digest, DocumentKind } from '../../../port.ts'
import { encodeChange } from '../changes.ts'
import { type CollectionKey, sortOfKey } from '../keys.ts'
import { cutOffVersion, decodeDocument, decodeHeader, encodeDocument, type Header } from '../record.ts'
import type { ContentOf, IndexedContent } from './findings.ts'

/** A document as it should be, and its entries in the index. */
export interface Expected {
  readonly header: Header
  /** The corrected value of the document, if its header differs from its record. */
  readonly corrected: Buffer | undefined
  /** Index entries by key, without anchors and blocks of terms. */
  readonly entries: ReadonlyMap<string, Buffer>
}

export interface Place {
  readonly collection: CollectionKey
  readonly kind: DocumentKind
  readonly tenant: string
}

/** Returns what should be stored for a document; `undefined` for a value that was cut off. */
export async function expectedOf(
  { collection, kind, tenant }: Place,
  id: Digest,
  value: Buffer,
  contentOf: ContentOf,
): Promise<Expected | undefined> {
  const stored = decodeHeader(value)
  if (stored.version === cutOffVersion) return undefined
  const document = decodeDocument(kind, tenant, id, value)
  const content = await contentOf(document)
  const agrees = content === undefined || isSame(stored, content)
  const header = agrees ? stored : { ...stored, ...content, dueMs: content.dueMs }
  const entries = new Map<string, Buffer>()
  const put = (key: string, entry: Buffer) => {
    // No two documents have an entry with the same key: each contains an ordinal or a unique.
    if (!isElsewhere(key)) entries.set(key, entry)
  }
  const write = { type: 'insert', ...document } as const
  encodeChange({ collection, write, before: undefined, after: header }, { put, del() {} })
  return { header, corrected: agrees ? undefined : encodeDocument(header, document.box), entries }
}

/** True for keys that are verified separately: the document itself, and anchors, which belong to blocks. */
function isElsewhere(key: string): boolean {
  return !key.startsWith('!') && (sortOfKey(key) === 'd' || sortOfKey(key) === 'a')
}

function isSame(stored: Header, content: IndexedContent): boolean {
  return (
    stored.dueMs === content.dueMs &&
    isSameSet(stored.terms, content.terms) &&
    isSameSet(stored.uniques, content.uniques)
  )
}

function isSameSet(some: readonly Digest[], others: readonly Digest[]): boolean {
  const set = new Set(some)
  return some.length === others.length && others.every(one => set.has(one))
}
