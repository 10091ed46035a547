import { LRUCache } from 'lru-cache'
import { ClearingCache } from '../../../base/cache.ts'
import { oftenRead } from '../../port/kinds.ts'
import type { Digest, Place, StoredDocument } from '../../port/port.ts'
import type { Block } from './bitmap.ts'
import type { Change } from './changes.ts'
import { Epoch, ReadPace } from './epoch.ts'
import { type CollectionKey, CollectionKeys, documentKey } from './keys.ts'
import type { LevelDb } from './leveldb.ts'
import { TermCache } from './term-cache.ts'

/** The earliest time at which a document of a collection can be due. */
interface DueFloor {
  /** No document is due before it. 0: not known. */
  floorMs: number
  /** Number of changes by the writer. A floor found by a search is not valid if this has changed since. */
  changes: number
}

const mostFloors = 20_000
const mostPlaces = 20_000

/** Approximate memory of a recent document in addition to its box. */
const entryBytes = 300

export interface PublishedBlock {
  readonly collection: CollectionKey
  readonly term: Digest
  readonly block: number
  readonly image: Block
}

/**
 * The state that readers see: an epoch and the cached index, always of the same moment. Only the writer changes it,
 * with `publish`, which is synchronous.
 */
export class PublishedState {
  readonly level: LevelDb
  readonly keys = new CollectionKeys()
  readonly #pace = new ReadPace()
  readonly #cacheSize: number
  #dueFloors = new ClearingCache<CollectionKey, DueFloor>(mostFloors)
  readonly #ending = new Set<Promise<void>>()
  epoch: Epoch
  terms: TermCache
  /**
   * Documents read by id a moment ago, sealed as on disk, because every request reads the same few: its key, its
   * application. Changed ones are deleted in the step that publishes the change, so every entry is what the present
   * epoch holds.
   */
  readonly recent = new LRUCache<string, StoredDocument>({
    maxSize: 16 << 20,
    sizeCalculation: ({ box }) => box.length + entryBytes,
  })
  /** By ordinal key: places never change, so that they need not be read again for each page. */
  places = new ClearingCache<string, Place>(mostPlaces)

  constructor(level: LevelDb, cacheSize: number) {
    this.level = level
    this.#cacheSize = cacheSize
    this.terms = new TermCache(cacheSize)
    this.epoch = new Epoch(level, this.#pace)
  }

  publish(blocks: Iterable<PublishedBlock>, changes: readonly Change[]): void {
    for (const { collection, term, block, image } of blocks) {
      this.terms.publish(collection, term, block, image)
    }
    for (const { collection, write, after } of changes) {
      if (oftenRead.has(write.kind)) this.recent.delete(documentKey(collection, write.id))
      const floor = this.#dueFloors.get(collection)
      if (after?.dueMs === undefined || !floor) continue
      floor.changes++
      floor.floorMs = Math.min(floor.floorMs, after.dueMs)
    }
    this.#turn()
  }

  /** Drops all caches, after everything was removed. */
  reset(): void {
    this.terms = new TermCache(this.#cacheSize)
    this.#dueFloors = new ClearingCache(mostFloors)
    this.recent.clear()
    this.places = new ClearingCache(mostPlaces)
    this.#turn()
  }

  dueFloor(collection: CollectionKey): DueFloor {
    return this.#dueFloors.of(collection, () => ({ floorMs: 0, changes: 0 }))
  }

  /** Resolves when no search holds an epoch older than the present one. */
  async olderEpochsEnded(): Promise<void> {
    await Promise.all(this.#ending)
  }

  #turn(): void {
    const before = this.epoch
    this.epoch = new Epoch(this.level, this.#pace)
    const ended = before.ended.then(() => {
      this.#ending.delete(ended)
    })
    this.#ending.add(ended)
    before.release()
  }
}
