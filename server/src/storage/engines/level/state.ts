import { Memo } from '../../../base/memo.ts'
import type { Place } from '../../port.ts'
import type { Block } from './bitmap.ts'
import { Epoch, ReadPace } from './epoch.ts'
import { type CollectionKey, CollectionKeys } from './keys.ts'
import type { LevelDb } from './leveldb.ts'
import { type RecentDocuments, recentDocuments } from './recent-documents.ts'
import { TermCache } from './term-cache.ts'

/** The earliest time at which a document of a collection can be due. */
export interface DueFloor {
  /** No document is due before it. 0: not known. */
  floorMs: number
  /** Number of changes by the writer. A floor found by a search is not valid if this has changed since. */
  changes: number
}

const mostFloors = 20_000
const mostPlaces = 20_000

export interface PublishedBlock {
  readonly prefix: string
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
  readonly #dueFloors = new Map<CollectionKey, DueFloor>()
  readonly #ending = new Set<Promise<void>>()
  epoch: Epoch
  terms: TermCache
  readonly recent: RecentDocuments = recentDocuments()
  /** By ordinal key: places never change, so that they need not be read again for each page. */
  places = new Memo<string, Place>(mostPlaces)

  constructor(level: LevelDb, cacheSize: number) {
    this.level = level
    this.#cacheSize = cacheSize
    this.terms = new TermCache(cacheSize)
    this.epoch = new Epoch(level, this.#pace)
  }

  publish(
    blocks: Iterable<PublishedBlock>,
    dues: readonly (readonly [CollectionKey, number])[],
    changed: Iterable<string>,
  ): void {
    for (const key of changed) this.recent.delete(key)
    for (const { prefix, block, image } of blocks) this.terms.publish(prefix, block, image)
    for (const [collection, dueMs] of dues) {
      const known = this.#dueFloors.get(collection)
      if (!known) continue
      known.changes++
      known.floorMs = Math.min(known.floorMs, dueMs)
    }
    this.#turn()
  }

  /** Drops all caches, after everything was removed. */
  reset(): void {
    this.terms = new TermCache(this.#cacheSize)
    this.#dueFloors.clear()
    this.recent.clear()
    this.places = new Memo(mostPlaces)
    this.#turn()
  }

  dueFloor(collection: CollectionKey): DueFloor {
    let known = this.#dueFloors.get(collection)
    if (!known) {
      if (this.#dueFloors.size >= mostFloors) this.#dueFloors.clear()
      known = { floorMs: 0, changes: 0 }
      this.#dueFloors.set(collection, known)
    }
    return known
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
