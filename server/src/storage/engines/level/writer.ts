import { bytesOf, type Commit } from '../../port/decide.ts'
import {
  type CommitResult,
  checkCommit,
  StoreDamaged,
  StoreUnavailable,
  type Write,
} from '../../port/port.ts'
import type { Groups } from './group.ts'

/** A commit, which may share a batch with others, or a task that runs alone. */
type Job = CommitJob | TaskJob

interface CommitJob extends Commit {
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

/**
 * Writes to the data folder; nothing else does. Commits that arrive while a batch is being synced share the next
 * batch (group commit), so a slow disk makes batches larger: each commit waits for two syncs at most.
 */
export class Writer {
  readonly #groups: Groups
  readonly #onFailure: (error: unknown) => void
  #queue: Job[] = []
  #running: Promise<void> | undefined
  #refusal: StoreUnavailable | undefined
  #failed = false

  constructor(groups: Groups, onFailure: (error: unknown) => void) {
    this.#groups = groups
    this.#onFailure = onFailure
  }

  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      checkCommit(writes, nowUs)
      this.#enqueue({ writes, nowUs, bytes: bytesOf(writes), resolve, reject })
    })
  }

  /** Runs a task between two batches. If it fails, the writer fails, as the task may be half done. */
  alone<Result>(task: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ task: async () => resolve(await task()), reject })
    })
  }

  /** Refuses new work, and resolves when accepted work is done. */
  async stop(reason: string): Promise<void> {
    this.#refusal ??= new StoreUnavailable(reason)
    await this.#running
  }

  #enqueue(job: Job): void {
    if (this.#refusal) {
      job.reject(this.#refusal)
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
      else await this.#write(jobs as CommitJob[])
    }
    this.#running = undefined
  }

  #take(): Job[] {
    let [count, writes, bytes] = [0, 0, 0]
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
    try {
      const results = await this.#groups.write(jobs)
      // Only now: even a conflict may depend on a write of the same batch.
      for (const [at, job] of jobs.entries()) job.resolve(results[at] as CommitResult)
    } catch (error) {
      if (!(error instanceof StoreDamaged)) {
        this.#fail(jobs, error)
        return
      }
      // Nothing was written. Only the commits that need damaged data may fail.
      this.#groups.forget()
      const [only] = jobs
      if (jobs.length === 1) only?.reject(error)
      else for (const job of jobs) await (this.#failed ? this.#enqueue(job) : this.#write([job]))
    }
  }

  /**
   * Ends this writer: after a failed write LevelDB refuses all others until it is opened again, and it is not known
   * if the failed batch is on disk.
   */
  #fail(jobs: readonly Job[], error: unknown): void {
    const reason = new StoreUnavailable('the store cannot write at the moment', { cause: error })
    this.#failed = true
    this.#refusal ??= reason
    for (const job of [...jobs, ...this.#queue]) job.reject(reason)
    this.#queue = []
    this.#onFailure(error)
  }
}
