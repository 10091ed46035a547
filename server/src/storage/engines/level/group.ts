import { ClearingCache } from '../../../base/cache.ts'
import { decodeBlock, encodeBlock } from '../../index/bits.ts'
import { Heads, type NewBlocks, type Recalled, writeGroup } from '../../index/edits.ts'
import type { CollectionName } from '../../port/collection.ts'
import {
  type Change,
  type CollectionState,
  type Commit,
  type Counters,
  type DocumentHeader,
  type Lookup,
  noCounters,
} from '../../port/decide.ts'
import { notErased, oftenRead } from '../../port/kinds.ts'
import type { CommitResult, Digest } from '../../port/port.ts'
import { orUnavailable } from './data-folder-errors.ts'
import { blockKey, counterKey, documentKey, garbageKey, termPrefix, uniqueKey } from './keys.ts'
import { decodeCounters, decodeHeader, encodeChange, encodeCounters, noValue } from './record.ts'
import type { State } from './state.ts'

type Collections = ReadonlyMap<CollectionName, CollectionState>

const mostCollections = 50_000

/** Decides groups of commits, and writes each as one batch. */
export class Groups {
  readonly #state: State
  readonly #heads = new Heads()
  #counters = new ClearingCache<CollectionName, Counters>(mostCollections)
  /** Collections with removed data since the last compaction. */
  garbage: Set<CollectionName>

  constructor(state: State, garbage: Set<CollectionName>) {
    this.#state = state
    this.garbage = garbage
  }

  /** Forgets all collections, after everything was removed, or where memory may differ from the disk. */
  forget(): void {
    this.#counters = new ClearingCache(mostCollections)
    this.#heads.clear()
  }

  /** Resolves when all that the commits changed is on disk, and published. @throws {StoreDamaged} */
  write(commits: readonly Commit[]): Promise<CommitResult[]> {
    return writeGroup(commits, this.#heads, {
      read: lookups => this.#read(lookups),
      readBlocks: recalled => this.#readBlocks(recalled),
      write: (changes, blocks, collections) => this.#store(changes, blocks, collections),
    })
  }

  async #read(lookups: ReadonlyMap<CollectionName, Lookup>): Promise<Collections> {
    const keys: string[] = []
    for (const [collection, { ids, uniques }] of lookups) {
      for (const id of ids) keys.push(documentKey(collection, id))
      for (const unique of uniques) keys.push(uniqueKey(collection, unique))
      if (!this.#counters.get(collection)) keys.push(counterKey(collection))
    }
    const values = (await this.#values(keys)).values()
    const collections = new Map<CollectionName, CollectionState>()
    for (const [collection, { ids, uniques }] of lookups) {
      const documents = new Map<Digest, DocumentHeader>()
      const holders = new Map<Digest, Digest>()
      for (const id of ids) {
        const { value } = values.next()
        if (value) documents.set(id, decodeHeader(value))
      }
      for (const unique of uniques) {
        const { value } = values.next()
        if (value) holders.set(unique, value.toString('latin1') as Digest)
      }
      const counters = this.#counters.of(collection, () => {
        const { value } = values.next()
        return { ...noCounters, ...(value && decodeCounters(value)) }
      })
      counters.fromOrdinal = counters.nextOrdinal
      collections.set(collection, { documents, holders, counters })
    }
    return collections
  }

  /** Writes what the commits changed, and publishes it. */
  async #store(
    changes: readonly Change[],
    blocks: readonly NewBlocks[],
    collections: Collections,
  ): Promise<void> {
    if (changes.length === 0) return
    const { level } = this.#state
    // A chained batch takes a tenth of the time of an array of operations.
    const batch = level.batch()
    for (const change of changes) {
      encodeChange(change, batch)
      const { collection, write, before } = change
      if (!before || notErased.has(write.kind) || this.garbage.has(collection)) continue
      this.garbage.add(collection)
      batch.put(garbageKey(collection), noValue)
    }
    for (const name of new Set(changes.map(({ collection }) => collection)))
      batch.put(counterKey(name), encodeCounters((collections.get(name) as CollectionState).counters))
    for (const { collection, block, images } of blocks) {
      for (const [term, image] of images) {
        const key = blockKey(termPrefix(collection, term), block)
        if (image) batch.put(key, encodeBlock(image))
        else batch.del(key)
      }
    }
    await batch.write({ sync: true })
    this.#state.publish({
      blocks,
      documents: changes.flatMap(({ collection, write }) =>
        oftenRead.has(write.kind) ? [documentKey(collection, write.id)] : [],
      ),
      dues: changes.flatMap(({ collection, after }) =>
        after?.dueMs === undefined ? [] : [[collection, after.dueMs] as const],
      ),
    })
  }

  async #readBlocks(recalled: readonly Recalled[]): Promise<void> {
    const wanted = recalled.flatMap(({ edit: { collection, block }, known, missing }) =>
      missing.map(term => ({ key: blockKey(termPrefix(collection, term), block), term, known })),
    )
    const values = await this.#values(wanted.map(({ key }) => key))
    for (const [at, { term, known }] of wanted.entries()) {
      const value = values[at]
      if (value) known.set(term, decodeBlock(value))
    }
  }

  /** Between batches the epoch has everything that is on disk. @throws {StoreDamaged} */
  async #values(keys: string[]): Promise<(Buffer | undefined)[]> {
    return keys.length === 0 ? [] : orUnavailable(() => this.#state.epoch.read(keys))
  }
}
