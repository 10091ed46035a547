import type { Change, ContentWrite, DocumentState } from '../../port/decide.ts'
import type { Digest, DocumentKind, Written } from '../../port/port.ts'

type NewDocument = Omit<ContentWrite, 'type' | keyof Written> & Written

/** The changes of a group to one collection, as rows to delete and rows to insert. */
export interface CollectionChanges {
  readonly kind: DocumentKind
  readonly tenant: string
  /** Stored documents that were removed or replaced, in the state they are stored in. */
  readonly stored: Map<Digest, DocumentState>
  /** New and replaced documents, in the state the group leaves them in. */
  readonly documents: Map<Digest, NewDocument>
}

export function changesByCollection<Name extends string>(
  changes: readonly Change<DocumentState & Written, Name>[],
): ReadonlyMap<Name, CollectionChanges> {
  const all = new Map<Name, CollectionChanges>()
  const seen = new Set<string>()
  for (const { collection, write, before, after } of changes) {
    const { kind, tenant, id } = write
    const own = all.get(collection) ?? { kind, tenant, stored: new Map(), documents: new Map() }
    all.set(collection, own)
    // Only the state before the group's first change is in the database.
    if (before && !seen.has(collection + id)) own.stored.set(id, before)
    seen.add(collection + id)
    if (after && 'seal' in write) own.documents.set(id, { ...write, ...after })
    else own.documents.delete(id)
  }
  return all
}
