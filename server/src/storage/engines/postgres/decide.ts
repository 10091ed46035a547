import type { CommitResult, Conflict, Digest, DocumentKind, Write, Written } from '../../port.ts'

/** What conditions ask of a document that is there. */
export interface Header {
  readonly version: number
  readonly createdUs: number
  readonly uniques: readonly Digest[]
}

/** A document as a group of commits leaves it, ready to be written. */
export interface NewDocument extends Header {
  readonly id: Digest
  readonly modifiedUs?: number
  readonly dueMs?: number
  readonly terms: readonly Digest[]
  readonly box: Uint8Array
}

/** The last stamp of a collection, and that of the newest document there ever was. */
export interface Stamps {
  readonly lastUs: number
  readonly lastCreatedUs: number
}

/** What a group has to know of a collection before it decides. Its row is locked: nobody else changes it. */
export interface KnownCollection extends Stamps {
  readonly headers: ReadonlyMap<Digest, Header>
  readonly holders: ReadonlyMap<Digest, Digest>
}

/** A collection as the commits so far have left it. */
class CollectionDraft {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly known: KnownCollection
  stamps: Stamps
  /** `undefined` is a document that was removed. */
  readonly documents = new Map<Digest, NewDocument | undefined>()
  readonly holders = new Map<Digest, Digest | undefined>()

  constructor(kind: DocumentKind, tenant: string, known: KnownCollection) {
    this.kind = kind
    this.tenant = tenant
    this.known = known
    this.stamps = { lastUs: known.lastUs, lastCreatedUs: known.lastCreatedUs }
  }

  header(id: Digest): Header | undefined {
    return this.documents.has(id) ? this.documents.get(id) : this.known.headers.get(id)
  }

  holder(unique: Digest): Digest | undefined {
    return this.holders.has(unique) ? this.holders.get(unique) : this.known.holders.get(unique)
  }
}

/** Everything that is to be written of one collection. */
export interface CollectionChanges {
  readonly kind: DocumentKind
  readonly tenant: string
  /** Where anything has changed. */
  readonly stamps?: Stamps
  /** How many documents more there are; negative where there are fewer. */
  readonly grown: number
  /** Documents that stand in the database and will not, or will stand there anew. */
  readonly removed: readonly Digest[]
  readonly documents: readonly NewDocument[]
  readonly freed: readonly Digest[]
  readonly held: readonly (readonly [unique: Digest, holder: Digest])[]
}

export function collectionName(kind: DocumentKind, tenant: string): string {
  return `${tenant} ${kind}`
}

/**
 * Several commits decided one after the other, against what is stored and what those before them did. One that
 * fails its conditions leaves no trace and does not touch the others.
 */
export class Decisions {
  readonly #drafts = new Map<string, CollectionDraft>()

  learn(kind: DocumentKind, tenant: string, known: KnownCollection): void {
    this.#drafts.set(collectionName(kind, tenant), new CollectionDraft(kind, tenant, known))
  }

  decide(writes: readonly Write[], nowUs: number): CommitResult {
    const undo: (() => void)[] = []
    const written: (Written | undefined)[] = []
    for (const [index, write] of writes.entries()) {
      const draft = this.#draft(write)
      const conflict = findConflict(draft, write)
      if (conflict) {
        for (const step of undo.reverse()) step()
        return { ok: false, conflict: { write: index, ...conflict } }
      }
      written.push(apply(draft, write, nowUs, undo))
    }
    return { ok: true, written }
  }

  /** What all commits that succeeded have changed together. */
  changes(): CollectionChanges[] {
    return [...this.#drafts.values()].map(({ kind, tenant, known, stamps, documents, holders }) => {
      const removed = [...documents.keys()].filter(id => known.headers.has(id))
      const left = [...documents.values()].filter(document => document !== undefined)
      return {
        kind,
        tenant,
        ...(removed.length === 0 && isSame(stamps, known) ? {} : { stamps }),
        grown: left.length - removed.length,
        removed,
        documents: left,
        freed: [...holders.keys()].filter(unique => known.holders.has(unique)),
        held: [...holders].filter((entry): entry is [Digest, Digest] => entry[1] !== undefined),
      }
    })
  }

  #draft({ kind, tenant }: Write): CollectionDraft {
    const draft = this.#drafts.get(collectionName(kind, tenant))
    if (!draft) throw new Error('a commit was decided before its collections were read')
    return draft
  }
}

function findConflict(draft: CollectionDraft, write: Write): Omit<Conflict, 'write'> | undefined {
  const present = draft.header(write.id)
  switch (write.type) {
    case 'expect':
      if (write.version === 0) return present ? { reason: 'exists' } : undefined
      break
    case 'insert':
      return present ? { reason: 'exists' } : findHolder(draft, write.id, write.uniques)
    case 'restore':
      if (present) return { reason: 'exists' }
      if (write.createdUs <= draft.stamps.lastCreatedUs) return { reason: 'order' }
      return findHolder(draft, write.id, write.uniques)
    case 'replace':
    case 'remove':
      break
  }
  if (!present) return { reason: 'missing' }
  if (write.version !== undefined && write.version !== present.version) return { reason: 'version' }
  return write.type === 'replace' ? findHolder(draft, write.id, write.uniques) : undefined
}

function findHolder(
  draft: CollectionDraft,
  id: Digest,
  uniques: readonly Digest[],
): Omit<Conflict, 'write'> | undefined {
  for (const unique of uniques) {
    const holder = draft.holder(unique)
    if (holder !== undefined && holder !== id) return { reason: 'unique', holder }
  }
  return undefined
}

function apply(
  draft: CollectionDraft,
  write: Write,
  nowUs: number,
  undo: (() => void)[],
): Written | undefined {
  if (write.type === 'expect') return undefined
  const before = draft.header(write.id)
  for (const unique of before?.uniques ?? []) put(draft.holders, unique, undefined, undo)
  if (write.type === 'remove') {
    put(draft.documents, write.id, undefined, undo)
    return undefined
  }
  const { stamps } = draft
  undo.push(() => {
    draft.stamps = stamps
  })
  const written = write.type === 'restore' ? writtenBefore(write) : stamp(stamps, before, nowUs)
  draft.stamps = {
    lastUs: Math.max(stamps.lastUs, written.modifiedUs ?? written.createdUs),
    lastCreatedUs: Math.max(stamps.lastCreatedUs, written.createdUs),
  }
  const { id, terms, uniques, dueMs, box } = write
  for (const unique of uniques) put(draft.holders, unique, id, undo)
  const document = { id, terms, uniques, box, ...(dueMs === undefined ? {} : { dueMs }), ...written }
  put(draft.documents, id, document, undo)
  return written
}

// Requirements: PAG-505
function stamp({ lastUs }: Stamps, before: Header | undefined, nowUs: number): Written {
  const stampUs = Math.max(nowUs, lastUs + 1)
  return before
    ? { version: before.version + 1, createdUs: before.createdUs, modifiedUs: stampUs }
    : { version: 1, createdUs: stampUs }
}

function writtenBefore({ version, createdUs, modifiedUs }: Written): Written {
  return modifiedUs === undefined ? { version, createdUs } : { version, createdUs, modifiedUs }
}

function isSame(a: Stamps, b: Stamps): boolean {
  return a.lastUs === b.lastUs && a.lastCreatedUs === b.lastCreatedUs
}

function put<Value>(
  map: Map<Digest, Value | undefined>,
  key: Digest,
  value: Value | undefined,
  undo: (() => void)[],
): void {
  const had = map.has(key)
  const before = map.get(key)
  undo.push(() => {
    if (had) map.set(key, before)
    else map.delete(key)
  })
  map.set(key, value)
}
