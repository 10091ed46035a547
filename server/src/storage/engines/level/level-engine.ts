import { setTimeout as wait } from 'node:timers/promises'
import { Turns } from '../../../base/flow/turns.ts'
import { machineMs } from '../../../base/time/real-time.ts'
import { search } from '../../index/search.ts'
import { type Collection, type CollectionName, collectionNamed, collectionOf } from '../../port/collection.ts'
import { CommitQueue } from '../../port/commit-queue.ts'
import type { Commit } from '../../port/decide.ts'
import { oftenRead } from '../../port/kinds.ts'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  type FindOptions,
  type Found,
  type Lease,
  type OpenEngine,
  type Query,
  StoreDamaged,
  type StoredDocument,
  StoreUnavailable,
  type Write,
} from '../../port/port.ts'
import { DataFolderRefused, orUnavailable, reasonOf } from './data-folder-errors.ts'
import type { Epoch } from './epoch.ts'
import { Groups } from './group.ts'
import {
  agendaRange,
  collectionOfAgendaKey,
  documentKey,
  formatKey,
  garbageKey,
  garbageOfKey,
  garbageRange,
  leaseKey,
} from './keys.ts'
import { compactCollection, hasRoomToOpen, type LevelDb, logBytes, openLevelDb } from './leveldb.ts'
import { type FolderOptions, openFolder } from './open.ts'
import { decodeDocument } from './record.ts'
import { type ContentOf, rebuildIndex } from './reindex.ts'
import { LevelSnapshot, readDocuments } from './snapshot.ts'
import { State } from './state.ts'
import { WriteLog } from './write-log.ts'

interface LevelOptions extends FolderOptions {
  /** Memory for the search index, in bytes. */
  readonly cacheBytes?: number
  /** True if a command goes through all of it, and closes it. */
  readonly isCommand?: boolean
  /** How long a log may be before searches begin again; tests make it short. */
  readonly longestLogBytes?: number
  /** Those that searches take with other work on the event loop. */
  readonly turns?: Turns | undefined
  /** Returns true if the disk has room for opening the folder; tests replace it to cause failures. */
  readonly hasRoom?: (folder: string) => Promise<boolean>
  /** Waits before the next attempt to recover; ends early when aborted. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The state of an open folder. All of it is replaced after a failed write, as memory may differ from disk then. */
interface Opening {
  readonly level: LevelDb
  readonly state: State
  readonly groups: Groups
  readonly queue: CommitQueue
  /** Runs a task between two groups of commits. If it fails, nothing more is written, as it may be half done. */
  readonly alone: <Result>(task: () => Promise<Result>) => Promise<Result>
  /** Ends the log between two groups of commits, after a task. Resolves when its tables are made, and those of a range. */
  readonly endLog: (
    range?: readonly [from: string, to: string],
    before?: () => Promise<void>,
  ) => Promise<void>
  readonly close: () => Promise<void>
}

const defaultCacheBytes = 128 << 20
const firstDelayMs = 200
const longestDelayMs = 10_000
const onlyLane = ['']

/** The last time it is begun, what reads at one moment is waited for. Others wait less if it begins again. */
const mostBeginnings = 3

/** The LevelDB engine: one folder, one process. */
export class LevelEngine implements OpenEngine {
  readonly #folder: string
  readonly #options: LevelOptions
  readonly #turns: Turns
  readonly #closing = new AbortController()
  #opening: Opening
  #failure: string | undefined
  #recovery: Promise<void> | undefined
  #compaction: Promise<void> = Promise.resolve()
  #closed: Promise<void> | undefined

  private constructor(folder: string, options: LevelOptions, opening: Opening) {
    this.#folder = folder
    this.#options = options
    this.#turns = options.turns ?? new Turns()
    this.#opening = opening
  }

  /** @throws {DataFolderRefused} */
  static async open(folder: string, options: LevelOptions = {}): Promise<LevelEngine> {
    let onFailure = (_error: unknown) => {}
    const opening = await openAll(folder, options, error => onFailure(error))
    const store = new LevelEngine(folder, options, opening)
    onFailure = error => store.#fail(error)
    return store
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.#opening.queue.commit(writes, nowUs)
  }

  get(kind: DocumentKind, tenant: string, ids: readonly Digest[]): Promise<(StoredDocument | undefined)[]> {
    return orUnavailable(() => this.#read(kind, tenant, ids))
  }

  inMemory(kind: DocumentKind, tenant: string, id: Digest): StoredDocument | undefined {
    if (!oftenRead.has(kind)) return undefined
    // Not counted as a use, which would take 0.3 µs of every request: what is dropped too soon is read again.
    return this.#opening.state.recent.peek(documentKey(collectionOf({ kind, tenant }), id))
  }

  now(): number {
    return machineMs()
  }

  async find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    const { principal = { tenant } } = options
    const pass = () => this.#turns.pass(principal)
    return this.#atOneMoment((state, epoch) =>
      search(new LevelSnapshot(state, epoch, { kind, tenant }), query, options, pass),
    )
  }

  async due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    const before = Math.floor(Math.min(beforeMs, Number.MAX_SAFE_INTEGER))
    if (!(before >= 0) || limit <= 0) return []
    return this.#atOneMoment(async (_, epoch) => {
      const due: StoredDocument[] = []
      for await (const entries of epoch.entries(agendaRange(kind, before), Math.min(limit, 1000))) {
        const some = entries.slice(0, limit - due.length).map(([key, value]) => ({
          name: collectionOfAgendaKey(key),
          id: value.toString('latin1') as Digest,
        }))
        const values = await epoch.read(some.map(({ name, id }) => documentKey(name, id)))
        for (const [at, { name, id }] of some.entries()) {
          const value = values[at]
          if (value) due.push(decodeDocument(collectionNamed(name) as Collection, id, value))
        }
        if (due.length >= limit) break
      }
      return due
    })
  }

  async lease({ name, holder, nowMs, untilMs }: Lease): Promise<boolean> {
    const { level, alone } = this.#opening
    return alone(async () => {
      const held = await level.get(leaseKey(name))
      if (held) {
        const { holder: other, untilMs: end } = JSON.parse(held.toString()) as Lease
        if (other !== holder && end > nowMs) return false
      }
      await level.put(leaseKey(name), Buffer.from(JSON.stringify({ holder, untilMs })), { sync: true })
      return true
    })
  }

  compact(): Promise<void> {
    // One at a time: two would do the same work twice.
    const compaction = this.#compaction.then(() => orUnavailable(() => this.#compact()))
    this.#compaction = compaction.catch(() => {})
    return compaction
  }

  snapshot(): undefined {}

  async clear(): Promise<void> {
    const { level, state, groups, alone } = this.#opening
    await alone(async () => {
      await level.clear({ lt: formatKey })
      await level.clear({ gt: formatKey })
      // Syncs the clearing too, as the log is one sequence.
      await level.batch().del(leaseKey('')).write({ sync: true })
      groups.forget()
      groups.garbage.clear()
      state.reset()
    })
  }

  /** Deletes the index and builds it from the documents. Returns their number. @throws {DataFolderRefused} */
  reindex(contentOf: ContentOf): Promise<number> {
    const { level, state, groups, alone } = this.#opening
    const write = async (batch: { write(): Promise<void> }) => {
      await batch.write()
      state.reset()
      await state.endOlderEpochs()
    }
    return alone(async () => {
      const count = await orUnavailable(() => rebuildIndex({ level, write }, contentOf)).catch(error => {
        if (!(error instanceof StoreDamaged)) throw error
        throw new DataFolderRefused('A file of the data folder is damaged: restore it from a backup.', {
          cause: error,
        })
      })
      groups.forget()
      state.reset()
      return count
    })
  }

  unhealthy(): string | undefined {
    return this.#failure
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort()
    await this.#recovery
    await this.#opening.queue.stop()
    await this.#compaction
    await this.#opening.close()
  }

  /** Reads by the present epoch, and again by a newer one if that is revoked. */
  async #atOneMoment<Result>(read: (state: State, epoch: Epoch) => Promise<Result>): Promise<Result> {
    for (let beginnings = 1; ; beginnings++) {
      const { state } = this.#opening
      // A snapshot that a search takes itself could have a batch whose blocks are not published yet.
      const epoch = state.epoch.hold()
      if (beginnings === mostBeginnings) epoch.keep()
      try {
        return await orUnavailable(() => read(state, epoch))
      } catch (error) {
        if (!epoch.isRevoked) throw error
      } finally {
        epoch.release()
      }
    }
  }

  /** Keeps single documents of some kinds in memory, as every request reads the same few: its key, its application. */
  #read(kind: DocumentKind, tenant: string, ids: readonly Digest[]) {
    const { state } = this.#opening
    const { epoch } = state
    const place = { kind, tenant }
    const [only] = ids
    if (only === undefined || ids.length > 1 || !oftenRead.has(kind)) return readDocuments(epoch, place, ids)
    const key = documentKey(collectionOf(place), only)
    const kept = state.recent.get(key)
    if (kept) return [kept]
    const keep = (read: (StoredDocument | undefined)[]) => {
      // A write may have been published while this was read.
      if (read[0] && state.epoch === epoch) state.recent.set(key, read[0])
      return read
    }
    const reading = readDocuments(epoch, place, ids)
    return reading instanceof Promise ? reading.then(keep) : keep(reading)
  }

  async #compact(): Promise<void> {
    const { level, groups, alone, endLog } = this.#opening
    const takeGarbage = async (): Promise<Set<CollectionName>> => {
      const taken = groups.garbage
      groups.garbage = new Set()
      return taken
    }
    const collections = await alone(takeGarbage)
    if (collections.size === 0) return
    try {
      for (const collection of collections) await compactCollection(level, collection, endLog)
      // Now files are deleted that were kept for what was read meanwhile.
      await endLog()
    } catch (error) {
      for (const collection of collections) groups.garbage.add(collection)
      throw error
    }
    await alone(async () => {
      const batch = level.batch()
      for (const collection of collections) {
        // What was removed in the meantime belongs to the next compaction.
        if (!groups.garbage.has(collection)) batch.del(garbageKey(collection))
      }
      await batch.write()
    })
  }

  #fail(error: unknown): void {
    this.#failure ??= reasonOf(error)
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = undefined
    })
  }

  /** Opens the folder again once there is space. Until then reads use the old opening. */
  async #recover(): Promise<void> {
    const { delay = (ms, signal) => wait(ms, undefined, { signal, ref: false }), hasRoom = hasRoomToOpen } =
      this.#options
    const { signal } = this.#closing
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      try {
        await delay(delayMs, signal)
        signal.throwIfAborted()
        if (!(await hasRoom(this.#folder))) continue
        await this.#opening.close()
        this.#opening = await openAll(this.#folder, this.#options, error => this.#fail(error))
        this.#failure = undefined
        return
      } catch {
        // unhealthy() still returns the reason.
        if (signal.aborted) return
      }
    }
  }
}

async function openAll(
  folder: string,
  {
    isCommand = false,
    openLevel = at => openLevelDb(at, isCommand),
    cacheBytes = defaultCacheBytes,
    isReindexed = false,
    longestLogBytes = isCommand ? Number.POSITIVE_INFINITY : logBytes,
  }: LevelOptions,
  onFailure: (error: unknown) => void,
): Promise<Opening> {
  const level = await openFolder(folder, { openLevel, isReindexed })
  const state = new State(level, cacheBytes)
  const groups = new Groups(state, new Set((await level.keys(garbageRange).all()).map(garbageOfKey)))
  const fail = (error: unknown): never => {
    // After a failed write LevelDB refuses all others until it is opened again, and it is not known if it is on disk.
    const reason = new StoreUnavailable('the store cannot write at the moment', { cause: error })
    queue.fail(reason)
    onFailure(error)
    throw reason
  }
  const log = new WriteLog(level, longestLogBytes)
  const endLongLog = async () => {
    if (!(await log.isLong())) return
    await state.endOlderEpochs()
    await log.begin()
  }
  const write = async (group: readonly Commit[]) => {
    await endLongLog().catch(fail)
    return groups.write(group).catch(error => {
      if (!(error instanceof StoreDamaged)) fail(error)
      groups.forget()
      throw error
    })
  }
  const queue = new CommitQueue({ write, mostAtOnce: 1, lanesOf: () => onlyLane })
  const alone: Opening['alone'] = task => queue.alone(() => task().catch(fail))
  const endLog: Opening['endLog'] = async (range = ['', ''], before = async () => {}) => {
    const { done } = await alone(async () => {
      await state.endEpochs()
      await before()
      return log.begin(...range)
    })
    await done
  }
  const close = async () => {
    await log.settled()
    await level.close()
  }
  return { level, state, groups, queue, alone, endLog, close }
}
