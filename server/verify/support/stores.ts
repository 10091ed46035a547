import { systemRandom } from '../../src/base/random.ts'
import { keyLength } from '../../src/crypto/envelope.ts'
import { MemoryEngine } from '../../src/storage/engines/memory/memory-engine.ts'
import { Keyring } from '../../src/storage/keys/keyring.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  type Engine,
  type OpenEngine,
  type StoredDocument,
  StoreUnavailable,
  type Write,
} from '../../src/storage/port/port.ts'
import { type OnBroken, Records } from '../../src/storage/records/records.ts'

export { tenantA, tenantB } from '../../src/storage/port/port.samples.ts'

export const newMasterKey = () => systemRandom().bytes(keyLength)

/** Opens a sealed store as another process would, with nothing in memory yet. */
export function sealedOn(store: Engine, masterKey: Uint8Array, onBroken?: OnBroken): Records {
  const random = systemRandom()
  return new Records(store, new Keyring(store, masterKey, random), random, onBroken && { onBroken })
}

/** A memory store whose documents a test may tamper with. */
export class OpenMemoryEngine extends MemoryEngine {
  readonly #changed = new Map<string, (document: StoredDocument) => StoredDocument>()

  /** Changes a document in all reads from now on. */
  tamper(
    place: Pick<StoredDocument, 'kind' | 'tenant' | 'id'>,
    change: (document: StoredDocument) => Partial<StoredDocument>,
  ): void {
    this.#changed.set(nameOf(place), document => ({ ...document, ...change(document) }))
  }

  override async get(kind: DocumentKind, tenant: string, ids: readonly Digest[]) {
    const documents = await super.get(kind, tenant, ids)
    return documents.map(document => document && this.#asChanged(document))
  }

  override async find(...given: Parameters<MemoryEngine['find']>) {
    const found = await super.find(...given)
    return { ...found, documents: found.documents.map(document => this.#asChanged(document)) }
  }

  override async due(...given: Parameters<MemoryEngine['due']>) {
    return (await super.due(...given)).map(document => this.#asChanged(document))
  }

  #asChanged(document: StoredDocument): StoredDocument {
    return this.#changed.get(nameOf(document))?.(document) ?? document
  }
}

function nameOf({ kind, tenant, id }: Pick<StoredDocument, 'kind' | 'tenant' | 'id'>): string {
  return `${kind} ${tenant} ${id}`
}

/** Returns the store with some of its methods replaced. */
export function replacing<Replaced extends Engine>(store: Replaced, methods: Partial<Replaced>): Replaced {
  return new Proxy(store, {
    get(target, name) {
      const own = methods[name as keyof Replaced]
      if (own) return own
      const member = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

/** Returns a store, and a function that gives it a task to do before its next commit of such writes, once. */
export function interruptible(inner: OpenEngine, isMeant: (write: Write) => boolean) {
  let task: (() => Promise<unknown>) | undefined
  const store = replacing(inner, {
    commit: async (writes, nowUs) => {
      const due = writes.some(isMeant) ? task : undefined
      if (due) task = undefined
      await due?.()
      return inner.commit(writes, nowUs)
    },
  })
  const before = (next: () => Promise<unknown>) => {
    task = next
  }
  return { store, before, isWaiting: () => task !== undefined }
}

/**
 * Returns a store that fails after a number of commits, as if the process had died, and then releases no lease.
 * Commits of settings, such as the stored time, do not count.
 */
export function dyingAfter(store: OpenEngine, commits: number): OpenEngine {
  let left = commits
  return replacing(store, {
    commit: async (writes: readonly Write[], nowUs: number): Promise<CommitResult> => {
      if (left <= 0) throw new StoreUnavailable('dead')
      if (!writes.every(({ kind }) => kind === 'setting')) left--
      return store.commit(writes, nowUs)
    },
    lease: async lease => (left > 0 || lease.untilMs > lease.nowMs ? store.lease(lease) : true),
  })
}
