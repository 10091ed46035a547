import { LRUCache } from 'lru-cache'
import { ClearingCache } from '../../../base/cache.ts'
import { monotonicMs } from '../../../base/time/real-time.ts'
import { type Block, type Blocks, decodeBlock } from '../../index/bits.ts'
import type { NewBlocks } from '../../index/edits.ts'
import type { CollectionName } from '../../port/collection.ts'
import type { Digest, Place, StoredDocument } from '../../port/port.ts'
import { blockKey, blockOfKey, endOfKeys, type KeyRange, termPrefix } from './keys.ts'
import { chunksOf, type LevelDb } from './leveldb.ts'

type Snapshot = ReturnType<LevelDb['snapshot']>

// Up to this many keys are read on this thread. Measured with 900-byte values in the page cache: 4 µs per key here;
// through the thread pool 20 µs for a single key, and 5 µs per key from about ten.
const fewKeys = 4
const slowReadMs = 2
const mostSlowReads = 3
const patienceMs = 1000

/**
 * Decides where reads run. A read on this thread is several times faster than one through the thread pool, but
 * blocks the whole server if a cold disk takes milliseconds. So after three slow reads within a second, all reads of
 * the next second go to the pool. A single slow read may only mean that this thread was interrupted.
 */
class ReadPace {
  #slowUntil = 0
  #slowReads = 0
  #countedFrom = 0
  #diskReads = 0

  isQuick(): boolean {
    return this.#slowUntil === 0 || monotonicMs() >= this.#slowUntil
  }

  note(startedMs: number): void {
    const now = monotonicMs()
    if (now - startedMs <= slowReadMs || !this.#hasReadFromDisk()) return
    if (now - this.#countedFrom > patienceMs) {
      this.#countedFrom = now
      this.#slowReads = 0
    }
    if (++this.#slowReads >= mostSlowReads) this.#slowUntil = now + patienceMs
  }

  /** True if the disk was read since the last slow read. Only Linux counts that; elsewhere it is assumed. */
  #hasReadFromDisk(): boolean {
    const { fsRead } = process.resourceUsage()
    const hasRead = fsRead > this.#diskReads || process.platform !== 'linux'
    this.#diskReads = fsRead
    return hasRead
  }
}

/**
 * The stored state between two batches. The writer publishes a new epoch and the new blocks in one synchronous step,
 * so that a search with an epoch and the blocks taken with it sees one moment. A snapshot taken by the search could
 * already contain a batch whose blocks are not published.
 */
export class Epoch {
  readonly level: LevelDb
  readonly #snapshot: Snapshot
  readonly #pace: ReadPace
  readonly #options: { snapshot: Snapshot; keyEncoding: 'utf8'; valueEncoding: 'buffer' }
  /** Resolves when the epoch is not used any more. Until then LevelDB keeps its data. */
  readonly ended: Promise<void>
  #end: () => void = () => {}
  #holders = 1

  constructor(level: LevelDb, pace: ReadPace) {
    this.level = level
    this.#pace = pace
    this.#snapshot = level.snapshot()
    // With encodings, abstract-level does not copy the options for each read.
    this.#options = { snapshot: this.#snapshot, keyEncoding: 'utf8', valueEncoding: 'buffer' }
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  hold(): this {
    this.#holders++
    return this
  }

  release(): void {
    if (--this.#holders > 0) return
    // Closing a snapshot waits for reads that use it. Closing the level closes its snapshots.
    this.#snapshot.close().then(this.#end, this.#end)
  }

  /** Returns the values of the keys, in their order. Synchronous where that is faster; see ReadPace. */
  read(keys: string[]): (Buffer | undefined)[] | Promise<(Buffer | undefined)[]> {
    if (keys.length > fewKeys || !this.#pace.isQuick()) return this.level.getMany(keys, this.#options)
    const started = monotonicMs()
    const values = keys.map(key => this.level.getSync(key, this.#options))
    this.#pace.note(started)
    return values
  }

  /** Yields the keys of a range in chunks. Utf8 keys are read 1.7 times as fast as bytes. */
  keys(range: KeyRange, chunk: number): AsyncGenerator<string[]> {
    const options = { keyEncoding: 'utf8', snapshot: this.#snapshot, highWaterMarkBytes: chunk * 64 }
    return chunksOf(this.level.keys({ ...range, ...options }), chunk)
  }

  entries(range: KeyRange, chunk = 1000): AsyncGenerator<[string, Buffer][]> {
    const options = { ...this.#options, highWaterMarkBytes: 1 << 20 }
    return chunksOf(this.level.iterator({ ...range, ...options }), chunk)
  }
}

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
