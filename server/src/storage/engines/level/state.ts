import { LRUCache } from 'lru-cache'
import { ClearingCache } from '../../../base/cache.ts'
import { type Block, type Blocks, decodeBlock } from '../../index/bits.ts'
import type { NewBlocks } from '../../index/edits.ts'
import type { CollectionName } from '../../port/collection.ts'
import type { Digest, Place, StoredDocument } from '../../port/port.ts'
import { Epoch, ReadPace } from './epoch.ts'
import { blockKey, blockOfKey, endOfKeys, termPrefix } from './keys.ts'
import type { LevelDb } from './leveldb.ts'

interface CachedTerm {
  blocks: Map<number, Block>
  /** True if a search has the map, so that the next change needs a copy. */
  isShared: boolean
}

/** Approximate memory of a cached block, of a cached term, and of a recent document in addition to its box. */
const blockBytes = 700
const termBytes = 200
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
  readonly #mostBytes: number
  readonly #ending = new Set<Promise<void>>()
  /** The changes since each load that is in progress began. */
  readonly #loads = new Set<NewBlocks[]>()
  #terms = new Map<CollectionName, Map<Digest, CachedTerm>>()
  #bytes = 0
  /** By collection, a time before which no document of it is due. */
  #floors = new ClearingCache<CollectionName, number>(mostFloors)
  epoch: Epoch
  /** By ordinal key. Places never change. */
  places = new ClearingCache<string, Place>(mostPlaces)
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
    this.#mostBytes = cacheBytes
    this.epoch = new Epoch(level, this.#pace)
  }

  /** Publishes a batch, in one step. */
  publish({ blocks, documents, dues }: Published): void {
    for (const key of documents) this.recent.delete(key)
    for (const change of blocks) {
      const terms = this.#terms.get(change.collection)
      if (!terms) continue
      for (const term of change.images.keys()) {
        const cached = terms.get(term)
        if (cached) this.#apply(cached, change, term)
      }
    }
    for (const late of this.#loads) late.push(...blocks)
    for (const [collection, dueMs] of dues) {
      if (dueMs < this.floorOf(collection)) this.#floors.set(collection, dueMs)
    }
    this.#turn()
  }

  /** Drops what is in memory, after everything was removed. */
  reset(): void {
    this.#forgetTerms()
    this.#loads.clear()
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

  /** Returns the blocks of terms at the present epoch, which the caller holds. What is in memory is taken at once. */
  async blocks(
    epoch: Epoch,
    collection: CollectionName,
    terms: ReadonlySet<Digest>,
  ): Promise<Map<Digest, Blocks>> {
    const known = this.#terms.get(collection)
    const found = new Map<Digest, Blocks>()
    const missing: Promise<unknown>[] = []
    for (const term of terms) {
      const cached = known?.get(term)
      if (cached) {
        cached.isShared = true
        found.set(term, cached.blocks)
      } else missing.push(this.#load(epoch, collection, term).then(blocks => found.set(term, blocks)))
    }
    if (missing.length > 0) await Promise.all(missing)
    return found
  }

  /** Resolves when no search holds an epoch older than the present one. */
  async olderEpochsEnded(): Promise<void> {
    await Promise.all(this.#ending)
  }

  async #load(epoch: Epoch, collection: CollectionName, term: Digest): Promise<Blocks> {
    const late: NewBlocks[] = []
    this.#loads.add(late)
    try {
      const blocks = new Map<number, Block>()
      const prefix = termPrefix(collection, term)
      for await (const entries of epoch.entries({ gte: blockKey(prefix, 0), lt: prefix + endOfKeys })) {
        for (const [key, value] of entries) blocks.set(blockOfKey(key), decodeBlock(value))
      }
      if (this.#loads.has(late)) this.#keep(collection, term, blocks, late)
      return blocks
    } finally {
      this.#loads.delete(late)
    }
  }

  /** @param late the changes of any term since the blocks were read */
  #keep(
    collection: CollectionName,
    term: Digest,
    blocks: Map<number, Block>,
    late: readonly NewBlocks[],
  ): void {
    const bytes = termBytes + blocks.size * blockBytes
    // Searches in progress have what they need.
    if (this.#bytes + bytes > this.#mostBytes) this.#forgetTerms()
    this.#bytes += bytes
    const cached = { blocks, isShared: true }
    for (const change of late) {
      if (change.collection === collection && change.images.has(term)) this.#apply(cached, change, term)
    }
    const terms = this.#terms.get(collection) ?? new Map<Digest, CachedTerm>()
    this.#terms.set(collection, terms.set(term, cached))
  }

  #forgetTerms(): void {
    this.#terms = new Map()
    this.#bytes = 0
  }

  #apply(cached: CachedTerm, { block, images }: NewBlocks, term: Digest): void {
    if (cached.isShared) cached.blocks = new Map(cached.blocks)
    cached.isShared = false
    const image = images.get(term)
    if (image && !cached.blocks.has(block)) this.#bytes += blockBytes
    if (image) cached.blocks.set(block, image)
    else cached.blocks.delete(block)
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
