import { oncePerTurn } from '../../base/flow/event-loop.ts'
import { bytesOf, type Commit, checkCommit } from './decide.ts'
import { type CommitResult, StoreDamaged, StoreUnavailable, type Write } from './port.ts'

/** A commit, which may share a group with others, or a task that runs alone. */
interface Job extends Commit {
  readonly lanes: readonly string[]
  readonly bytes: number
  readonly task?: () => Promise<void>
  readonly resolve: (result: CommitResult) => void
  readonly reject: (reason: unknown) => void
}

// A group is copied several times on its way to the disk, and all of its callers wait for it.
const mostWrites = 512
const mostBytes = 4 << 20

interface QueueOptions {
  /** Writes a group. If it throws `StoreDamaged`, nothing was written. */
  readonly write: (group: readonly Commit[]) => Promise<CommitResult[]>
  /** Groups that are written concurrently. */
  readonly mostAtOnce: number
  /** Names what commits must not write concurrently: the groups of a lane follow each other. */
  readonly lanesOf: (writes: readonly Write[]) => readonly string[]
}

/**
 * Group commit: commits that arrive while others of their lanes are being written share the next group, so a slow disk
 * makes groups larger, and each commit waits for two at most. Commits of a lane are decided in the order of their arrival.
 */
export class CommitQueue {
  readonly #options: QueueOptions
  #waiting: Job[] = []
  /** The lanes of running groups. */
  readonly #busy = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  #refusal: StoreUnavailable | undefined
  /** Other commits of this turn share the group. */
  readonly #beginLater = oncePerTurn(() => this.#begin())

  constructor(options: QueueOptions) {
    this.#options = options
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      checkCommit(writes, nowUs)
      if (writes.length === 0) resolve({ ok: true, written: [] })
      else
        this.#add({
          writes,
          nowUs,
          lanes: this.#options.lanesOf(writes),
          bytes: bytesOf(writes),
          resolve,
          reject,
        })
    })
  }

  /** Runs a task while no group is written, in an engine with one lane. */
  alone<Result>(task: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const lanes = this.#options.lanesOf([])
      const running = async () => resolve(await task())
      this.#add({ writes: [], nowUs: 0, lanes, bytes: 0, task: running, resolve: () => {}, reject })
    })
  }

  /** Refuses new work, and resolves when accepted work is done. */
  async stop(): Promise<void> {
    this.#refusal ??= new StoreUnavailable('the store is closed')
    this.#begin()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Refuses all work that has not begun. */
  fail(reason: StoreUnavailable): void {
    this.#refusal ??= reason
    for (const job of this.#waiting) job.reject(reason)
    this.#waiting = []
  }

  #add(job: Job): void {
    if (this.#refusal) {
      job.reject(this.#refusal)
      return
    }
    this.#waiting.push(job)
    this.#beginLater()
  }

  #begin(): void {
    while (this.#waiting.length > 0 && this.#running.size < this.#options.mostAtOnce) {
      const group = this.#take()
      const [first] = group
      if (!first) return
      for (const lane of first.lanes) this.#busy.add(lane)
      const running: Promise<void> = this.#write(group).then(() => {
        for (const lane of first.lanes) this.#busy.delete(lane)
        this.#running.delete(running)
        this.#begin()
      })
      this.#running.add(running)
    }
  }

  /** Takes the first job whose lanes are free, and those that can join it. The order in each lane is kept. */
  #take(): Job[] {
    const blocked = new Set(this.#busy)
    const rest: Job[] = []
    const group: Job[] = []
    let writes = 0
    let bytes = 0
    for (const job of this.#waiting) {
      const [first = job] = group
      const fits =
        first === job ||
        (!first.task &&
          !job.task &&
          isSame(job.lanes, first.lanes) &&
          writes + job.writes.length <= mostWrites &&
          bytes + job.bytes <= mostBytes)
      if (fits && !job.lanes.some(lane => blocked.has(lane))) {
        writes += job.writes.length
        bytes += job.bytes
        group.push(job)
      } else {
        rest.push(job)
        for (const lane of job.lanes) blocked.add(lane)
      }
    }
    this.#waiting = rest
    return group
  }

  async #write(group: readonly Job[]): Promise<void> {
    const [first] = group
    try {
      if (first?.task) return await first.task()
      const results = await this.#options.write(group)
      // Only now: even a conflict may depend on a write of the same group.
      for (const [at, job] of group.entries()) job.resolve(results[at] as CommitResult)
    } catch (error) {
      // Only the commits that need damaged data may fail.
      if (error instanceof StoreDamaged && group.length > 1) for (const job of group) await this.#write([job])
      else for (const job of group) job.reject(error)
    }
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some === others || (some.length === others.length && some.every(lane => others.includes(lane)))
}
