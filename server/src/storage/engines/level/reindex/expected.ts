import type { Digest, DocumentKind } from '../../../port.ts'
import { encodeChange } from '../changes.ts'
import { type CollectionKey, sortOfKey } from '../keys.ts'
import { cutOffVersion, decodeDocument, decodeHeader, encodeDocument, type Header } from '../record.ts'
import type { ContentOf, IndexedContent } from './findings.ts'

/** A document as it should be, and what should stand of it elsewhere. */
export interface Expected {
  readonly header: Header
  /** The document's new value, where it should say something else of itself. */
  readonly corrected: Buffer | undefined
  /** By key; without the document itself, the anchors and the blocks of terms. */
  readonly entries: ReadonlyMap<string, Buffer>
}

export interface Place {
  readonly collection: CollectionKey
  readonly kind: DocumentKind
  readonly tenant: string
}

/** `undefined` for a value that was cut off. */
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
    // Another entry for the same key does not come up: all of them hold the ordinal or a unique of its own.
    if (!isElsewhere(key)) entries.set(key, entry)
  }
  const write = { type: 'insert', ...document } as const
  encodeChange({ collection, write, before: undefined, after: header }, { put, del() {} })
  return { header, corrected: agrees ? undefined : encodeDocument(header, document.box), entries }
}

/** The document is looked at apart, and an anchor belongs to a block. */
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
