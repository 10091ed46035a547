import {
  bytesOf,
  type Collection,
  checkCommit,
  Decisions,
  type NamedWrite,
  questionsOf,
} from '../../port/decide.ts'
import { notErased } from '../../port/kinds.ts'
import {
  type CommitResult,
  type Digest,
  StoreDamaged,
  StoreUnavailable,
  type Write,
} from '../../port/port.ts'
import { HeadBlocks } from './bitmap.ts'
import { type Change, encodeChange, type Mutations, noValue } from './changes.ts'
import { orDamaged } from './data-folder-errors.ts'
import { IndexGroup } from './index-group.ts'
import { type CollectionKey, counterKey, documentKey, garbageKey, uniqueKey } from './keys.ts'
import type { PublishedState } from './published-state.ts'
import {
  type Counters,
  decodeCounters,
  decodeHeader,
  digestLength,
  encodeCounters,
  type Header,
  mostDigests,
  noCounters,
} from './record.ts'

/** The writer's knowledge of a collection between groups. */
interface CollectionState extends Counters {
  /** The compaction round in which the collection was last marked. */
  garbageRound: number
}

type NamedCommit = readonly NamedWrite<CollectionKey>[]

/** Reads the values of keys, in their order. */
type ReadValues = (keys: string[]) => (Buffer | undefined)[] | Promise<(Buffer | undefined)[]>

/** Several commits that are decided together and written in one batch. */
class WriteGroup {
  readonly #states: Map<CollectionKey, CollectionState>
  readonly #collections = new Map<CollectionKey, Collection<Header>>()
  readonly #decisions = new Decisions<Header, CollectionKey>(
    this.#collections,
    ({ terms, uniques, dueMs }, { version, createdUs, modifiedUs }) =>
      // The ordinal is given when all commits are decided: that of a commit which fails must not be lost.
      ({ ordinal: -1, version, createdUs, modifiedUs, dueMs, terms, uniques }),
  )

  readonly changes: readonly Change[] = this.#decisions.changes

  constructor(states: Map<CollectionKey, CollectionState>) {
    this.#states = states
  }

  /** Reads everything that the conditions ask for, at once. */
  async read(commits: Iterable<NamedCommit>, read: ReadValues): Promise<void> {
    const questions = questionsOf(commits)
    const keys: string[] = []
    for (const [collection, { ids, uniques }] of questions) {
      for (const id of ids) keys.push(documentKey(collection, id))
      for (const unique of uniques) keys.push(uniqueKey(collection, unique))
      if (!this.#states.has(collection)) keys.push(counterKey(collection))
    }
    const reading = read(keys)
    const values = (reading instanceof Promise ? await reading : reading).values()
    const next = () => values.next().value
    for (const [collection, { ids, uniques }] of questions) {
      const documents = new Map<Digest, Header>()
      const holders = new Map<Digest, Digest>()
      for (const id of ids) {
        const value = next()
        if (value) documents.set(id, decodeHeader(value))
      }
      for (const unique of uniques) {
        const value = next()
        if (value) holders.set(unique, value.toString('latin1') as Digest)
      }
      this.#collections.set(collection, { documents, holders, stamps: this.#stateOf(collection, next) })
    }
  }

  /** Decides the commits in order, and then gives each new document its ordinal. */
  decide(commits: readonly { readonly writes: NamedCommit; readonly nowUs: number }[]): CommitResult[] {
    const results = commits.map(({ writes, nowUs }) => this.#decisions.decide(writes, nowUs))
    for (const { collection, before, after } of this.changes) {
      if (after) after.ordinal = before?.ordinal ?? this.#stateOf(collection).nextOrdinal++
    }
    return results
  }

  /** Encodes everything but the blocks of the index. */
  encode(mutations: Mutations, garbageRound: number): void {
    const touched = new Set<CollectionKey>()
    for (const change of this.changes) {
      touched.add(change.collection)
      encodeChange(change, mutations)
      const state = this.#stateOf(change.collection)
      const isGarbage = change.before !== undefined && !notErased.has(change.write.kind)
      if (isGarbage && state.garbageRound !== garbageRound) {
        state.garbageRound = garbageRound
        mutations.put(garbageKey(garbageRound, change.collection), noValue)
      }
    }
    for (const collection of touched) {
      mutations.put(counterKey(collection), encodeCounters(this.#stateOf(collection)))
    }
  }

  #stateOf(
    collection: CollectionKey,
    readCounters: () => Buffer | undefined = () => undefined,
  ): CollectionState {
    let state = this.#states.get(collection)
    if (!state) {
      const value = readCounters()
      state = { ...(value ? decodeCounters(value) : noCounters), garbageRound: -1 }
      this.#states.set(collection, state)
    }
    return state
  }
}

/** A commit, which may share a batch with others, or a task that runs alone. */
type Job = CommitJob | TaskJob

interface CommitJob {
  readonly writes: NamedCommit
  readonly nowUs: number
  readonly bytes: number
  readonly resolve: (result: CommitResult) => void
  readonly reject: (reason: Error) => void
}

interface TaskJob {
  readonly task: () => Promise<void>
  readonly reject: (reason: Error) => void
}

// A batch is copied several times on its way to the disk, and all of its callers wait for it.
const mostWrites = 512
const mostBytes = 4 << 20
const mostCollections = 50_000

/**
 * Writes to the data folder; nothing else does. Commits that arrive while a batch is being synced share the next
 * batch (group commit), so a slow disk makes batches larger: each commit waits for two syncs at most.
 */
export class Writer {
  readonly #state: PublishedState
  readonly #onFailure: (error: unknown) => void
  readonly #collections = new Map<CollectionKey, CollectionState>()
  readonly #heads = new HeadBlocks()
  #queue: Job[] = []
  #running: Promise<void> | undefined
  #stopped: StoreUnavailable | undefined
  #failed: StoreUnavailable | undefined
  /** The round of new garbage marks; each compaction begins a new one. */
  garbageRound: number

  constructor(state: PublishedState, garbageRound: number, onFailure: (error: unknown) => void) {
    this.#state = state
    this.garbageRound = garbageRound
    this.#onFailure = onFailure
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      checkCommit(writes, nowUs)
      for (const write of writes) checkDigests(write)
      const named = writes.map(write => ({
        write,
        collection: this.#state.keys.of(write.kind, write.tenant),
      }))
      this.#enqueue({ writes: named, nowUs, bytes: bytesOf(writes), resolve, reject })
    })
  }

  /** Runs a task between two batches. If it fails, the writer fails, as the task may be half done. */
  alone<Result>(task: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ task: async () => resolve(await task()), reject })
    })
  }

  /** Forgets all collections, after everything was removed or repaired. */
  forget(): void {
    this.#collections.clear()
    this.#heads.clear()
  }

  /** Refuses new work, and resolves when accepted work is done. */
  async stop(reason: string): Promise<void> {
    this.#stopped ??= new StoreUnavailable(reason)
    await this.#running
  }

  #enqueue(job: Job): void {
    if (this.#stopped) {
      job.reject(this.#stopped)
      return
    }
    this.#queue.push(job)
    // Not at once: other commits of this turn share the batch.
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const jobs = this.#take()
      const [first] = jobs
      if (first && 'task' in first) await first.task().catch(error => this.#fail([first], error))
      else await this.#commit(jobs as CommitJob[])
    }
    this.#running = undefined
  }

  async #commit(jobs: readonly CommitJob[]): Promise<void> {
    try {
      await this.#write(jobs)
    } catch (error) {
      if (!(error instanceof StoreDamaged)) {
        this.#fail(jobs, error)
        return
      }
      // Nothing was written. Only the commits that need damaged data may fail.
      this.forget()
      const [only] = jobs
      if (jobs.length === 1) only?.reject(error)
      else for (const job of jobs) await (this.#failed ? job.reject(this.#failed) : this.#commit([job]))
    }
  }

  #take(): Job[] {
    let count = 0
    let writes = 0
    let bytes = 0
    for (const job of this.#queue) {
      if ('task' in job) {
        count ||= 1
        break
      }
      writes += job.writes.length
      bytes += job.bytes
      if (count > 0 && (writes > mostWrites || bytes > mostBytes)) break
      count++
    }
    return this.#queue.splice(0, count)
  }

  async #write(jobs: readonly CommitJob[]): Promise<void> {
    if (this.#collections.size > mostCollections) this.#collections.clear()
    // Between batches the epoch has everything that is on disk.
    const { epoch, level, terms } = this.#state
    const read = (keys: string[]) => orDamaged(() => epoch.read(keys))
    const group = new WriteGroup(this.#collections)
    await group.read(
      jobs.map(job => job.writes),
      read,
    )
    const results = group.decide(jobs)
    if (group.changes.length > 0) {
      const index = new IndexGroup(group.changes, this.#heads, terms)
      await index.apply(read)
      // A chained batch takes a tenth of the time of an array of operations.
      const batch = level.batch()
      group.encode(batch, this.garbageRound)
      index.encode(batch)
      await batch.write({ sync: true })
      index.publish()
      this.#state.publish(index.touched, group.changes)
    }
    // Only now: even a conflict may depend on a write of the same batch.
    for (const [position, job] of jobs.entries()) job.resolve(results[position] as CommitResult)
  }

  /**
   * Ends this writer: after a failed write LevelDB refuses all others until it is opened again, and it is not known
   * if the failed batch is on disk.
   */
  #fail(jobs: readonly Job[], error: unknown): void {
    const reason = new StoreUnavailable('the store cannot write at the moment', { cause: error })
    this.#failed ??= reason
    this.#stopped ??= reason
    for (const job of [...jobs, ...this.#queue]) job.reject(reason)
    this.#queue = []
    this.#onFailure(error)
  }
}

/** @throws {RangeError | TypeError} where a document could not be encoded */
function checkDigests(write: Write): void {
  const lists = 'terms' in write ? [[write.id], write.terms, write.uniques] : [[write.id]]
  for (const digests of lists) {
    if (digests.length > mostDigests) throw new RangeError(`a document has at most ${mostDigests} terms`)
    for (const { length } of digests) {
      if (length !== digestLength) throw new TypeError(`a digest has ${digestLength} characters`)
    }
  }
}
