import { LRUCache } from 'lru-cache'
import { ClearingCache } from '../../../base/cache.ts'
import type { NewBlocks } from '../../index/edits.ts'
import type { CollectionName } from '../../port/collection.ts'
import type { Position, StoredDocument } from '../../port/port.ts'
import { Epoch } from './epoch.ts'
import type { LevelDb } from './leveldb.ts'
import { ReadPace } from './read-pace.ts'
import { TermCache } from './term-cache.ts'

/** Approximate memory of a recent document in addition to its box. */
const entryBytes = 300

const mostFloors = 20_000
const mostPlaces = 20_000

/** What a batch changed. */
interface Published {
  readonly blocks: readonly NewBlocks[]
  /** Keys of documents that were in `recent`, perhaps. */
  readonly documents: readonly string[]
  readonly dues: readonly (readonly [CollectionName, dueMs: number])[]
}

/** What readers see: an epoch, and parts of the index in memory, always of the same moment. Only the writer changes it. */
export class State {
  readonly level: LevelDb
  readonly #pace = new ReadPace()
  /** Those that searches hold. */
  readonly #older = new Set<Epoch>()
  /** By collection, a time before which no document of it is due. */
  #floors = new ClearingCache<CollectionName, number>(mostFloors)
  epoch: Epoch
  readonly terms: TermCache
  /** By ordinal key. Places never change. */
  places = new ClearingCache<string, Position>(mostPlaces)
  /**
   * By key, documents that every request reads, sealed as on disk. Changed ones are removed in the step that publishes the
   * change, so that each is what the present epoch has.
   */
  readonly recent = new LRUCache<string, StoredDocument>({
    maxSize: 16 << 20,
    sizeCalculation: ({ box }) => box.length + entryBytes,
  })

  constructor(level: LevelDb, cacheBytes: number) {
    this.level = level
    this.terms = new TermCache(cacheBytes)
    this.epoch = new Epoch(level, this.#pace)
  }

  /** Publishes a batch, in one step. */
  publish({ blocks, documents, dues }: Published): void {
    for (const key of documents) this.recent.delete(key)
    this.terms.publish(blocks)
    for (const [collection, dueMs] of dues) {
      if (dueMs < this.floorOf(collection)) this.#floors.set(collection, dueMs)
    }
    this.#turn()
  }

  /** Drops what is in memory, after everything was removed. */
  reset(): void {
    this.terms.reset()
    this.recent.clear()
    this.#floors = new ClearingCache(mostFloors)
    this.places = new ClearingCache(mostPlaces)
    this.#turn()
  }

  floorOf(collection: CollectionName): number {
    return this.#floors.get(collection) ?? 0
  }

  /** Keeps a time before which no document is due, as an epoch says. */
  learnFloor(epoch: Epoch, collection: CollectionName, floorMs: number): void {
    if (epoch === this.epoch) this.#floors.set(collection, floorMs)
  }

  /** Resolves when what is read sees all that is there now, and LevelDB keeps nothing for other reads. */
  endEpochs(): Promise<void> {
    this.#turn()
    return this.endOlderEpochs()
  }

  /** Resolves when nothing is read by an epoch older than the present one: searches begin again. */
  async endOlderEpochs(): Promise<void> {
    for (const epoch of this.#older) epoch.revoke()
    await Promise.all([...this.#older].map(({ ended }) => ended))
  }

  #turn(): void {
    const before = this.epoch
    this.epoch = new Epoch(this.level, this.#pace)
    this.#older.add(before)
    before.ended.then(() => this.#older.delete(before))
    before.release()
  }
}
