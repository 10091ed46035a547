import { machineMs } from '../../../base/time/real-time.ts'
import { type Collection, type CollectionName, collectionOf } from '../../port/collection.ts'
import {
  type CollectionState,
  checkCommit,
  Decisions,
  type DocumentHeader,
  documentWith,
  noCounters,
} from '../../port/decide.ts'
import { letterOf } from '../../port/kinds.ts'
import { matches } from '../../port/matches.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  documentKinds,
  type FindOptions,
  type Found,
  type Lease,
  type OpenEngine,
  type Query,
  type StoredDocument,
  type Write,
} from '../../port/port.ts'

interface Stored extends CollectionState, Collection {
  readonly boxes: Map<Digest, Uint8Array>
}

/**
 * The simple engine: Maps, and every query is checked against every document. It is the storage of `memory:` and the
 * model that the searches of the other engines are compared with.
 */
export class MemoryEngine implements OpenEngine {
  readonly #collections = new Map<CollectionName, Stored>()
  readonly #leases = new Map<string, Lease>()

  async commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    checkCommit(writes, nowUs)
    for (const write of writes) this.#collection(write)
    const decisions = new Decisions(this.#collections)
    const result = decisions.decide({ writes, nowUs })
    for (const { write, after } of decisions.changes) {
      const { boxes } = this.#collection(write)
      // A copy, as the caller may clear or reuse its bytes.
      if (after && 'seal' in write) boxes.set(write.id, Uint8Array.from(write.seal(after)))
      else boxes.delete(write.id)
    }
    return result
  }

  async get(
    kind: DocumentKind,
    tenant: string,
    ids: readonly Digest[],
  ): Promise<(StoredDocument | undefined)[]> {
    const collection = this.#collection({ kind, tenant })
    return ids.map(id => {
      const header = collection.documents.get(id)
      return header && withBox(collection, id, header)
    })
  }

  inMemory(): undefined {}

  now(): number {
    return machineMs()
  }

  async find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    // Requirements: PAG-503
    const { nowMs, offset, limit, afterUs, oldestFirst = false, mostBytes } = options
    const collection = this.#collection({ kind, tenant })
    const matching = [...collection.documents].filter(
      ([id, header]) => (header.dueMs ?? Number.POSITIVE_INFINITY) > nowMs && matches(query, id, header),
    )
    matching.sort(([, a], [, b]) => (oldestFirst ? a.createdUs - b.createdUs : b.createdUs - a.createdUs))
    const behind = matching.filter(
      ([, { createdUs }]) =>
        afterUs === undefined || (oldestFirst ? createdUs > afterUs : createdUs < afterUs),
    )
    const page = behind.slice(offset, offset + limit).map(([id, header]) => withBox(collection, id, header))
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
    return [...this.#collections]
      .filter(([name]) => name.startsWith(letterOf(kind)))
      .flatMap(([, collection]) =>
        [...collection.documents]
          .filter(([, { dueMs = Number.POSITIVE_INFINITY }]) => dueMs <= beforeMs)
          .map(([id, header]) => withBox(collection, id, header)),
      )
      .sort((a, b) => Number(a.dueMs) - Number(b.dueMs))
      .slice(0, limit)
  }

  async lease(lease: Lease): Promise<boolean> {
    const held = this.#leases.get(lease.name)
    if (held && held.holder !== lease.holder && held.untilMs > lease.nowMs) return false
    this.#leases.set(lease.name, lease)
    return true
  }

  snapshot(tenant: string, root: string): () => void {
    const kept = documentKinds.map(kind => copyOf(this.#collection({ kind, tenant })))
    const keys = copyOf(this.#collection({ kind: 'key', tenant: root }))
    return () => {
      for (const collection of kept) this.#collections.set(collectionOf(collection), copyOf(collection))
      const { documents, boxes } = this.#collection(keys)
      for (const [id, header] of keys.documents) {
        if (documents.has(id)) continue
        documents.set(id, header)
        boxes.set(id, keys.boxes.get(id) as Uint8Array)
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

  #collection({ kind, tenant }: Collection): Stored {
    const name = collectionOf({ kind, tenant })
    const known = this.#collections.get(name)
    if (known) return known
    const contents = { documents: new Map(), holders: new Map(), boxes: new Map() }
    const made = { kind, tenant, ...contents, counters: { ...noCounters } }
    this.#collections.set(name, made)
    return made
  }
}

function withBox({ kind, tenant, boxes }: Stored, id: Digest, header: DocumentHeader): StoredDocument {
  return documentWith(header, { kind, tenant, id }, boxes.get(id) as Uint8Array)
}

function copyOf({ kind, tenant, documents, holders, boxes, counters }: Stored): Stored {
  const contents = { documents: new Map(documents), holders: new Map(holders), boxes: new Map(boxes) }
  return { kind, tenant, ...contents, counters: { ...counters } }
}
