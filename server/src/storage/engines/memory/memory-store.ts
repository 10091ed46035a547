import {
  type CommitResult,
  type Conflict,
  checkCommit,
  type Digest,
  type DocumentKind,
  documentKinds,
  type FindOptions,
  type Found,
  type Lease,
  type Query,
  type Store,
  type StoredDocument,
  type Write,
  type Written,
} from '../../port/port.ts'

/** One kind of one tenant. */
interface Collection {
  documents: Map<Digest, StoredDocument>
  holders: Map<Digest, Digest>
  /** True if a snapshot has these maps: they must be copied before they are changed. */
  isShared?: boolean
  lastUs: number
  /** The stamp of the newest document, even if it was removed. */
  lastCreatedUs: number
}

/**
 * The simple engine: Maps, and every query is checked against every document. It is the storage of `memory:` and the
 * model that the other engines are compared with, so it decides commits and evaluates queries by
 * code of its own.
 */
export class MemoryStore implements Store {
  readonly #collections = new Map<string, Collection>()
  readonly #leases = new Map<string, Lease>()

  async commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    checkCommit(writes, nowUs)
    const undo: (() => void)[] = []
    const written: (Written | undefined)[] = []
    for (const [index, write] of writes.entries()) {
      const collection = this.#collection(write.kind, write.tenant)
      const conflict = findConflict(collection, write)
      if (conflict) {
        for (const step of undo.reverse()) step()
        return { ok: false, conflict: { write: index, ...conflict } }
      }
      unshare(collection)
      const { lastUs, lastCreatedUs } = collection
      undo.push(remember(collection, write.id), () => {
        Object.assign(collection, { lastUs, lastCreatedUs })
      })
      written.push(apply(collection, write, nowUs))
    }
    return { ok: true, written }
  }

  async get(
    kind: DocumentKind,
    tenant: string,
    ids: readonly Digest[],
  ): Promise<(StoredDocument | undefined)[]> {
    const collection = this.#collection(kind, tenant)
    return ids.map(id => collection.documents.get(id))
  }

  async find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    // Requirements: PAG-503
    const { nowMs, offset, limit, afterUs, oldestFirst = false, mostBytes } = options
    const matching = [...this.#collection(kind, tenant).documents.values()].filter(
      document => !(document.dueMs !== undefined && document.dueMs <= nowMs) && matches(query, document),
    )
    matching.sort((a, b) => (oldestFirst ? a.createdUs - b.createdUs : b.createdUs - a.createdUs))
    const behind = matching.filter(
      ({ createdUs }) => afterUs === undefined || (oldestFirst ? createdUs > afterUs : createdUs < afterUs),
    )
    const page = behind.slice(offset, offset + limit)
    if (mostBytes === undefined) return { total: matching.length, documents: page }
    let bytes = 0
    const cut = page.findIndex(({ box }) => {
      bytes += box.length
      return bytes > mostBytes
    })
    const documents = cut === -1 ? page : page.slice(0, cut + 1)
    const rest = page.slice(documents.length).map(({ id, createdUs }) => ({ id, createdUs }))
    return { total: matching.length, documents, rest }
  }

  async due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    const due: (StoredDocument & { dueMs: number })[] = []
    for (const { documents } of this.#collections.values()) {
      for (const document of documents.values()) {
        // All documents of a collection have its kind, and collections of tokens can be long.
        if (document.kind !== kind) break
        const { dueMs } = document
        if (dueMs !== undefined && dueMs <= beforeMs) due.push({ ...document, dueMs })
      }
    }
    return due.sort((a, b) => a.dueMs - b.dueMs).slice(0, limit)
  }

  async lease(lease: Lease): Promise<boolean> {
    const held = this.#leases.get(lease.name)
    if (held && held.holder !== lease.holder && held.untilMs > lease.nowMs) return false
    this.#leases.set(lease.name, lease)
    return true
  }

  snapshot(tenant: string, root: string): () => void {
    const share = (name: string): Collection | undefined => {
      const collection = this.#collections.get(name)
      if (collection) collection.isShared = true
      return collection && { ...collection }
    }
    const names = documentKinds.map(kind => `${kind} ${tenant}`)
    const kept = names.map(name => [name, share(name)] as const)
    const keys = share(`key ${root}`)
    return () => {
      for (const [name, collection] of kept) {
        if (collection) this.#collections.set(name, { ...collection })
        else this.#collections.delete(name)
      }
      const current = this.#collection('key', root)
      if (!keys || keys.documents === current.documents) return
      unshare(current)
      for (const [id, document] of keys.documents) {
        if (!current.documents.has(id)) current.documents.set(id, document)
      }
    }
  }

  async compact(): Promise<void> {}

  async clear(): Promise<void> {
    this.#collections.clear()
    this.#leases.clear()
  }

  unhealthy(): string | undefined {
    return undefined
  }

  async close(): Promise<void> {}

  #collection(kind: DocumentKind, tenant: string): Collection {
    const name = `${kind} ${tenant}`
    let collection = this.#collections.get(name)
    if (!collection) {
      collection = { documents: new Map(), holders: new Map(), lastUs: 0, lastCreatedUs: -1 }
      this.#collections.set(name, collection)
    }
    return collection
  }
}

function unshare(collection: Collection): void {
  if (!collection.isShared) return
  collection.documents = new Map(collection.documents)
  collection.holders = new Map(collection.holders)
  collection.isShared = false
}

function findConflict(collection: Collection, write: Write): Omit<Conflict, 'write'> | undefined {
  const present = collection.documents.get(write.id)
  switch (write.type) {
    case 'expect':
      if (write.version === 0) return present ? { reason: 'exists' } : undefined
      break
    case 'insert':
      return present ? { reason: 'exists' } : findHolder(collection, write)
    case 'restore':
      if (present) return { reason: 'exists' }
      if (write.createdUs <= collection.lastCreatedUs) return { reason: 'order' }
      return findHolder(collection, write)
    case 'replace':
    case 'remove':
      break
  }
  if (!present) return { reason: 'missing' }
  if (write.version !== undefined && write.version !== present.version) return { reason: 'version' }
  const isOther = 'createdUs' in write && write.createdUs !== present.createdUs
  if (isOther) return { reason: 'version' }
  return write.type === 'replace' ? findHolder(collection, write) : undefined
}

function findHolder(
  collection: Collection,
  write: { readonly id: Digest; readonly uniques: readonly Digest[] },
): Omit<Conflict, 'write'> | undefined {
  for (const unique of write.uniques) {
    const holder = collection.holders.get(unique)
    if (holder !== undefined && holder !== write.id) return { reason: 'unique', holder }
  }
  return undefined
}

function apply(collection: Collection, write: Write, nowUs: number): Written | undefined {
  if (write.type === 'expect') return undefined
  const before = collection.documents.get(write.id)
  for (const unique of before?.uniques ?? []) collection.holders.delete(unique)
  if (write.type === 'remove') {
    collection.documents.delete(write.id)
    return undefined
  }
  const { kind, tenant, id, terms, uniques, dueMs } = write
  const written = write.type === 'restore' ? writtenBefore(write) : stamp(collection, before, nowUs)
  collection.lastUs = Math.max(collection.lastUs, written.modifiedUs ?? written.createdUs)
  collection.lastCreatedUs = Math.max(collection.lastCreatedUs, written.createdUs)
  for (const unique of uniques) collection.holders.set(unique, id)
  collection.documents.set(id, {
    kind,
    tenant,
    id,
    terms: [...terms],
    uniques: [...uniques],
    ...(dueMs === undefined ? {} : { dueMs }),
    // A copy, as the caller may clear or reuse its bytes.
    box: Uint8Array.from(write.seal(written)),
    ...written,
  })
  return written
}

// Requirements: PAG-505
function stamp({ lastUs }: Collection, before: Written | undefined, nowUs: number): Written {
  const stampUs = Math.max(nowUs, lastUs + 1)
  return before
    ? { version: before.version + 1, createdUs: before.createdUs, modifiedUs: stampUs }
    : { version: 1, createdUs: stampUs }
}

function writtenBefore({ version, createdUs, modifiedUs }: Written): Written {
  return modifiedUs === undefined ? { version, createdUs } : { version, createdUs, modifiedUs }
}

/** Returns a function that restores the document. */
function remember({ documents, holders }: Collection, id: Digest): () => void {
  const before = documents.get(id)
  return () => {
    for (const unique of documents.get(id)?.uniques ?? []) holders.delete(unique)
    documents.delete(id)
    if (!before) return
    documents.set(id, before)
    for (const unique of before.uniques) holders.set(unique, id)
  }
}

function matches(query: Query, document: StoredDocument): boolean {
  switch (query.op) {
    case 'all':
      return true
    case 'none':
      return false
    case 'term':
      return document.terms.includes(query.term)
    case 'ids':
      return query.ids.includes(document.id)
    case 'created':
      return isWithin(document.createdUs, query.fromUs, query.toUs)
    case 'modified':
      return document.modifiedUs !== undefined && isWithin(document.modifiedUs, query.fromUs, query.toUs)
    case 'and':
      return query.of.every(part => matches(part, document))
    case 'or':
      return query.of.some(part => matches(part, document))
    case 'not':
      return !matches(query.of, document)
  }
}

function isWithin(us: number, fromUs = Number.NEGATIVE_INFINITY, toUs = Number.POSITIVE_INFINITY): boolean {
  return us >= fromUs && us <= toUs
}
