import { setTimeout as wait } from 'node:timers/promises'
import {
  type CommitResult,
  type Digest,
  type DocumentKind,
  type FindOptions,
  type Found,
  type Lease,
  type Query,
  type Store,
  type StoredDocument,
  StoreUnavailable,
  type Write,
} from '../../port/port.ts'
import { compactCollection, readGarbageMarks } from './compact.ts'
import { asDamaged } from './data-folder-errors.ts'
import { type Losses, repairFolder } from './files/repair-folder.ts'
import { findDocuments } from './find.ts'
import { formatKey, leaseKey } from './keys.ts'
import { type LevelDb, openLevelDb } from './leveldb.ts'
import { openFolder, refuseInUse } from './open.ts'
import { PublishedState } from './published-state.ts'
import { findDue, readByIds, recentDocument } from './read.ts'
import type { Findings } from './reindex/findings.ts'
import { reindex } from './reindex/reindex.ts'
import type { ReindexOptions } from './reindex/verification.ts'
import { takeRoom, type WriteProbe } from './spare-space.ts'
import { Writer } from './writer.ts'

interface LevelOptions {
  /** Memory for the search index, in bytes. */
  readonly cacheBytes?: number
  /** True if a command goes through all of it, and closes it. */
  readonly isCommand?: boolean
  /** Opens LevelDB in the folder; tests replace it to cause failures. */
  readonly openLevel?: (folder: string) => Promise<LevelDb>
  /** Writes the file that reserves disk space; tests replace it to cause failures. */
  readonly writeProbe?: WriteProbe
  /** Waits before the next attempt to recover; ends early when aborted. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The state of an open folder. All of it is replaced after a failed write, as memory may differ from disk then. */
interface Opening {
  readonly level: LevelDb
  readonly state: PublishedState
  readonly writer: Writer
}

const defaultCacheBytes = 128 << 20
const firstDelayMs = 200
const longestDelayMs = 10_000

/** The LevelDB engine: one folder, one process. */
export class LevelStore implements Store {
  readonly #folder: string
  readonly #options: LevelOptions
  readonly #closing = new AbortController()
  #opening: Opening
  #failure: string | undefined
  #recovery: Promise<void> | undefined
  #compaction: Promise<void> = Promise.resolve()
  #closed: Promise<void> | undefined

  private constructor(folder: string, options: LevelOptions, opening: Opening) {
    this.#folder = folder
    this.#options = options
    this.#opening = opening
  }

  /** @throws {DataFolderRefused} */
  static async open(folder: string, options: LevelOptions = {}): Promise<LevelStore> {
    let onFailure = (_error: unknown) => {}
    const store = new LevelStore(folder, options, await openAll(folder, options, error => onFailure(error)))
    onFailure = error => store.#fail(error)
    return store
  }

  /** Repairs a damaged folder, and returns what was lost. @throws {DataFolderRefused} if it is in use */
  static async repair(folder: string): Promise<Losses> {
    await refuseInUse(folder)
    const losses = await repairFolder(folder)
    await (await openFolder(folder, { isRepaired: true })).close()
    return losses
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return this.#opening.writer.commit(writes, nowUs)
  }

  get(kind: DocumentKind, tenant: string, ids: readonly Digest[]): Promise<(StoredDocument | undefined)[]> {
    const { state } = this.#opening
    return orUnavailable(() => readByIds(state, kind, tenant, ids))
  }

  recent(kind: DocumentKind, tenant: string, id: Digest): StoredDocument | undefined {
    return recentDocument(this.#opening.state, kind, tenant, id)
  }

  now(): undefined {}

  snapshot(): undefined {}

  async find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found> {
    return orUnavailable(() => findDocuments(this.#opening.state, kind, tenant, query, options))
  }

  async due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]> {
    return orUnavailable(() => findDue(this.#opening.state, kind, beforeMs, limit))
  }

  async lease({ name, holder, nowMs, untilMs }: Lease): Promise<boolean> {
    const { level, writer } = this.#opening
    return writer.alone(async () => {
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

  async clear(): Promise<void> {
    const { level, state, writer } = this.#opening
    await writer.alone(async () => {
      await level.clear({ lt: formatKey })
      await level.clear({ gt: formatKey })
      // Syncs the clearing too, as the log is one sequence.
      await level.batch().del(leaseKey('')).write({ sync: true })
      writer.forget()
      state.reset()
    })
  }

  /** Verifies the search index against the documents, and repairs it if `repair` is set. */
  reindex(options: ReindexOptions): Promise<Findings> {
    const { level, state, writer } = this.#opening
    return orUnavailable(() =>
      writer.alone(async () => {
        const findings = await reindex(level, options)
        writer.forget()
        state.reset()
        return findings
      }),
    )
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
    await this.#opening.writer.stop('the store is closed')
    await this.#compaction
    await this.#opening.level.close()
  }

  async #compact(): Promise<void> {
    const { level, state, writer } = this.#opening
    const round = await writer.alone(async () => writer.garbageRound++)
    const marks = (await readGarbageMarks(state)).filter(mark => mark.round <= round)
    // Through the writer, which refuses after a failure: nothing may follow a torn record in LevelDB's log.
    const alone = (write: () => Promise<void>) => writer.alone(write)
    // LevelDB keeps the data of snapshots that are in use.
    await state.olderEpochsEnded()
    for (const collection of new Set(marks.map(mark => mark.collection))) {
      await compactCollection(level, collection, alone)
    }
    const batch = level.batch()
    for (const { key } of marks) batch.del(key)
    await alone(() => batch.write())
  }

  #fail(error: unknown): void {
    this.#failure ??= reasonOf(error)
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = undefined
    })
  }

  /** Opens the folder again once there is space. Until then reads use the old opening. */
  async #recover(): Promise<void> {
    const { delay = (ms, signal) => wait(ms, undefined, { signal, ref: false }) } = this.#options
    const { signal } = this.#closing
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      try {
        await delay(delayMs, signal)
        signal.throwIfAborted()
        const release = await takeRoom(this.#folder, this.#options.writeProbe)
        await this.#opening.level.close()
        await release()
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
  }: LevelOptions,
  onFailure: (error: unknown) => void,
): Promise<Opening> {
  const level = await openFolder(folder, { openLevel })
  const state = new PublishedState(level, cacheBytes)
  const marks = await readGarbageMarks(state)
  const round = Math.max(0, ...marks.map(mark => mark.round + 1))
  return { level, state, writer: new Writer(state, round, onFailure) }
}

function orUnavailable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    const working = work()
    return working instanceof Promise ? working.catch(refuse) : Promise.resolve(working)
  } catch (cause) {
    return Promise.reject(toRefusal(cause))
  }
}

function refuse(cause: unknown): never {
  throw toRefusal(cause)
}

function toRefusal(cause: unknown): unknown {
  const error = asDamaged(cause)
  // Errors of LevelDB have a code of this form; other errors are bugs, not outages.
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string' || !code.startsWith('LEVEL_')) return error
  return new StoreUnavailable('the store cannot answer at the moment', { cause: error })
}

function reasonOf(error: unknown): string {
  const text = describe(error)
  if (/no space left|disk quota/i.test(text)) return 'the disk is full'
  if (/corruption/i.test(text)) {
    return 'the data folder is damaged: stop the server and run surrogate-server reindex --repair'
  }
  return 'a write to the data folder failed'
}

/** Joins the messages of an error and its causes. */
function describe(error: unknown): string {
  let text = ''
  for (let at = error; at instanceof Error; at = at.cause) text += `${at.message}\n`
  return text
}
