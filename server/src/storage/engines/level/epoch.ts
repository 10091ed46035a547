import { monotonicMs } from '../../../base/time/real-time.ts'
import type { KeyRange } from './keys.ts'
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
export class ReadPace {
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
