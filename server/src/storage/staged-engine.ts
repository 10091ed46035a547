import { collectionOf } from './port/collection.ts'
import { matches } from './port/matches.ts'
import type {
  Address,
  CommitResult,
  Conflict,
  Digest,
  DocumentKind,
  Engine,
  FindOptions,
  Found,
  Query,
  StoredDocument,
  Write,
} from './port/port.ts'

type Content = Extract<Write, { readonly type: 'insert' | 'replace' }>

/** A document that was read or changed. */
interface Staged extends Address {
  /** The document of the store below. */
  readonly base: StoredDocument | undefined
  /** True if it was removed, so that the one that is there now is another. */
  readonly isRemoved: boolean
  /** The last write that left a document there. */
  readonly content?: Content
  /** The document as commits see it from now on. */
  readonly now: StoredDocument | undefined
}

const nameOf = (address: Address) => collectionOf(address) + address.id

/**
 * Engine whose commits are collected instead of written: reads see them, and `writes` returns them as one commit, which
 * fails if a document that was read by its id has changed below. So a long change is made whole or not at all, of one
 * state. One commit at a time.
 */
export class StagedEngine implements Engine {
  readonly #base: Engine
  readonly #staged = new Map<string, Staged>()

  constructor(base: Engine) {
    this.#base = base
  }

  /**
   * Returns all commits as one, or nothing if they change nothing. Each document is written once, or twice where another
   * one has taken its address.
   */
  writes(): Write[] {
    const all = [...this.#staged.values()]
    const removals = all.flatMap(({ kind, tenant, id, base, isRemoved }): Write[] =>
      base && isRemoved
        ? [{ type: 'remove', kind, tenant, id, version: base.version, createdUs: base.createdUs }]
        : [],
    )
    const changes = all.flatMap(({ kind, tenant, id, base, isRemoved, content, now }): Write[] => {
      if (!content)
        return isRemoved ? [] : [{ type: 'expect', kind, tenant, id, version: base?.version ?? 0 }]
      if (!now) return []
      if (!base || isRemoved) return [{ ...content, type: 'insert' }]
      return [{ ...content, type: 'replace', version: base.version, createdUs: base.createdUs }]
    })
    const writes = [...removals, ...changes]
    return writes.some(({ type }) => type !== 'expect') ? writes : []
  }

  async commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    const changed = new Map<string, Staged>()
    for (const [index, write] of writes.entries()) {
      const name = nameOf(write)
      const before = changed.get(name) ?? (await this.#at(write))
      const reason = conflictOf(before, write)
      if (reason) return { ok: false, conflict: { write: index, reason } }
      changed.set(name, after(before, write, nowUs))
    }
    for (const [name, one] of changed) this.#staged.set(name, one)
    const written = writes.map(write => ('seal' in write ? changed.get(nameOf(write))?.now : undefined))
    return { ok: true, written }
  }

  async #at({ kind, tenant, id }: Address): Promise<Staged> {
    const name = nameOf({ kind, tenant, id })
    if (!this.#staged.has(name)) {
      const [base] = await this.#base.get(kind, tenant, [id])
      // The first of two reads at once counts.
      if (!this.#staged.has(name))
        this.#staged.set(name, { kind, tenant, id, base, isRemoved: false, now: base })
    }
    return this.#staged.get(name) as Staged
  }

  get(kind: DocumentKind, tenant: string, ids: readonly Digest[]): Promise<(StoredDocument | undefined)[]> {
    return Promise.all(ids.map(async id => (await this.#at({ kind, tenant, id })).now))
  }

  /** Staged documents count as the newest ones. */
  async find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    const collection = collectionOf({ kind, tenant })
    const staged = [...this.#staged.values()].filter(
      one => one.now !== one.base && collectionOf(one) === collection,
    )
    const ids = staged.map(({ id }) => id)
    const unchanged: Query = { op: 'and', of: [query, { op: 'not', of: { op: 'ids', ids } }] }
    const { total, documents } = await this.#base.find(
      kind,
      tenant,
      ids.length > 0 ? unchanged : query,
      options,
    )
    const more = staged.flatMap(({ now }) => (now && matches(query, now.id, now) ? [now] : []))
    const all = options.oldestFirst ? [...documents, ...more] : [...more.reverse(), ...documents]
    return { total: total + more.length, documents: all.slice(0, options.limit) }
  }

  /** What is read without waiting could miss what is staged. */
  inMemory(): undefined {}

  due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    return this.#base.due(kind, beforeMs, limit)
  }

  now(): number {
    return this.#base.now()
  }

  unhealthy(): string | undefined {
    return this.#base.unhealthy()
  }

  lease(): never {
    throw new Error(atOnce)
  }

  compact(): never {
    throw new Error(atOnce)
  }

  close(): never {
    throw new Error(atOnce)
  }
}

const atOnce = 'this cannot be done later'

function conflictOf({ now }: Staged, write: Write): Conflict['reason'] | undefined {
  if (write.type === 'restore') throw new Error(atOnce)
  if (write.type === 'insert' || (write.type === 'expect' && write.version === 0)) return now && 'exists'
  if (!now) return 'missing'
  // No write fits a damaged document.
  if (now.version === 0) return 'version'
  const isOther =
    write.type !== 'expect' && write.createdUs !== undefined && write.createdUs !== now.createdUs
  return isOther || (write.version ?? now.version) !== now.version ? 'version' : undefined
}

function after(before: Staged, write: Write, nowUs: number): Staged {
  if (write.type === 'expect' || write.type === 'restore') return before
  const { kind, tenant, id, base, now } = before
  if (write.type === 'remove') return { kind, tenant, id, base, isRemoved: true, now: undefined }
  const { terms, uniques, dueMs } = write
  const stamps = now
    ? { version: now.version + 1, createdUs: now.createdUs, modifiedUs: Math.max(nowUs, now.createdUs + 1) }
    : { version: 1, createdUs: nowUs }
  return {
    ...before,
    content: write,
    now: {
      ...{ kind, tenant, id, terms, uniques, ...stamps },
      ...(dueMs === undefined ? {} : { dueMs }),
      // Made when it is read: the commit makes it again, for its own stamps.
      get box() {
        return write.seal(stamps)
      },
    },
  }
}
