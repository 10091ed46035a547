import type { LevelDb } from './leveldb.ts'

type Snapshot = ReturnType<LevelDb['snapshot']>

// Up to this many keys are read on this thread. Measured with 900-byte values in the page cache: 4 us per
// key here; through the thread pool 20 us for one key alone, and 5 us per key from about ten on.
const fewKeys = 4
const slowReadMs = 2
const mostSlowReads = 3
const patienceMs = 1000

/**
 * Decides where a read runs. A read on this thread is several times faster than one through the thread
 * pool, and would stop the whole server where a cold disk takes milliseconds. So slow reads send all reads of
 * the next second to the pool. One alone says nothing: on a busy machine this thread may just have been
 * interrupted. At worst three slow reads a second are waited for here.
 */
export class ReadPace {
  #slowUntil = 0
  #slowReads = 0
  #countedFrom = 0
  #diskReads = 0

  isQuick(): boolean {
    return this.#slowUntil === 0 || performance.now() >= this.#slowUntil
  }

  note(startedMs: number): void {
    const now = performance.now()
    if (now - startedMs <= slowReadMs || !this.#hasReadFromDisk()) return
    if (now - this.#countedFrom > patienceMs) {
      this.#countedFrom = now
      this.#slowReads = 0
    }
    if (++this.#slowReads >= mostSlowReads) this.#slowUntil = now + patienceMs
  }

  /** Whether the disk was asked at all since the last slow read. Only Linux counts that; elsewhere, maybe. */
  #hasReadFromDisk(): boolean {
    const { fsRead } = process.resourceUsage()
    const hasRead = fsRead > this.#diskReads || process.platform !== 'linux'
    this.#diskReads = fsRead
    return hasRead
  }
}

/**
 * The stored state between two batches. The writer publishes a new epoch together with the new blocks in one
 * synchronous step, so that whoever holds an epoch and the blocks taken with it sees one moment. A snapshot
 * taken at the time of a search would not do: it may already hold a batch whose blocks are not published.
 */
export class Epoch {
  readonly level: LevelDb
  readonly #snapshot: Snapshot
  readonly #pace: ReadPace
  readonly #options: { snapshot: Snapshot; keyEncoding: 'utf8'; valueEncoding: 'buffer' }
  readonly #ended: Promise<void>
  #end: () => void = () => {}
  #holders = 1

  constructor(level: LevelDb, pace: ReadPace) {
    this.level = level
    this.#pace = pace
    this.#snapshot = level.snapshot()
    // Naming the encodings spares abstract-level a copy of the options per read.
    this.#options = { snapshot: this.#snapshot, keyEncoding: 'utf8', valueEncoding: 'buffer' }
    this.#ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  hold(): this {
    this.#holders++
    return this
  }

  release(): void {
    if (--this.#holders > 0) return
    // Closing waits for reads under way by itself; a level that is being closed closes its snapshots too.
    this.#snapshot.close().then(this.#end, this.#end)
  }

  /** Resolves when nobody holds this epoch any more: until then LevelDB keeps what it can see. */
  get ended(): Promise<void> {
    return this.#ended
  }

  /** The values at the keys, in their order. Synchronous where that is faster; see ReadPace. */
  read(keys: string[]): (Buffer | undefined)[] | Promise<(Buffer | undefined)[]> {
    if (keys.length > fewKeys || !this.#pace.isQuick()) return this.level.getMany(keys, this.#options)
    const started = performance.now()
    const values = keys.map(key => this.level.getSync(key, this.#options))
    this.#pace.note(started)
    return values
  }

  /** The keys of a range, in the chunks LevelDB delivers them in. Utf8 keys read 1.7 times as fast as bytes. */
  async *keys(
    range: { gte: string; lt: string; reverse?: boolean },
    chunk: number,
  ): AsyncGenerator<string[]> {
    const iterator = this.level.keys({
      ...range,
      keyEncoding: 'utf8',
      snapshot: this.#snapshot,
      highWaterMarkBytes: chunk * 64,
    })
    try {
      for (;;) {
        const keys = await iterator.nextv(chunk)
        if (keys.length === 0) return
        yield keys
      }
    } finally {
      await iterator.close()
    }
  }

  async *entries(range: { gte: string; lt: string }, chunk: number): AsyncGenerator<[string, Buffer][]> {
    const iterator = this.level.iterator({ ...range, ...this.#options, highWaterMarkBytes: 1 << 20 })
    try {
      for (;;) {
        const entries = await iterator.nextv(chunk)
        if (entries.length === 0) return
        yield entries
      }
    } finally {
      await iterator.close()
    }
  }
}
