import type { Clock } from '../base/clock.ts'
import { describeError, type Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'
import { type AuditedAction, auditEntry } from './entries.ts'
import { RefusalCounts } from './refusals.ts'

/** How many entries may wait before a read has to wait with them: reads must not outrun their log. */
const manyWaiting = 2000

/** How many may wait while the store cannot write; then the oldest go, and the log says how many. */
const mostWaiting = 10_000

/** How long entries are gathered for one commit, in real milliseconds: what a crash can lose of them. */
const gatherMs = 10

/** For how long refusals that repeat are counted before an entry is written for all of them. */
const countMs = 60_000

/** How many entries share a commit. */
const batchSize = 256

export interface RecorderContext {
  readonly store: SealedStore
  readonly random: Random
  readonly log: Log
  readonly clock: Pick<Clock, 'at' | 'nowMs' | 'nowUs'>
}

interface Waiting {
  readonly id: string
  readonly tenant: string
  readonly action: AuditedAction
  /** The first attempt to write it; all that share one have been in the same commits ever since. */
  attempt?: number
}

/**
 * Writes audit entries for what changes nothing: reads that revealed data, and what was refused. What changes
 * something has its entry in the same commit; these follow behind, so that a read need not wait for a disk.
 */
export class AuditRecorder {
  readonly #context: RecorderContext
  readonly #refusals = new RefusalCounts()
  #waiting: Waiting[] = []
  #recorded = 0
  #failing = false
  #attempts = 0
  #done = 0
  #writing: Promise<void> | undefined

  constructor(context: RecorderContext) {
    this.#context = context
  }

  /** Takes an entry; returns something to wait for where too many wait already. Refusals that repeat are counted. */
  record(tenant: string, action: AuditedAction): undefined | Promise<void> {
    if (action.outcome !== 'refused') return this.#take(tenant, action)
    if (this.#refusals.size === 0) this.#countForAWhile()
    if (this.#refusals.repeats(tenant, action)) return undefined
    for (const counted of this.#refusals.takeSurplus()) this.#take(counted.tenant, counted.action)
    return this.#take(tenant, action)
  }

  /** Writes what was counted, and resolves when all that was recorded is written or cannot be at the moment. */
  async close(): Promise<void> {
    this.#takeCounted()
    await this.settled()
  }

  #countForAWhile(): void {
    const { clock } = this.#context
    clock.at(clock.nowMs() + countMs, async () => this.#takeCounted())
  }

  #takeCounted(): void {
    for (const { tenant, action } of this.#refusals.takeAll()) this.#take(tenant, action)
  }

  #take(tenant: string, action: AuditedAction): undefined | Promise<void> {
    this.#waiting.push({ id: this.#context.random.uuid(), tenant, action })
    this.#recorded++
    if (this.#waiting.length > mostWaiting) {
      this.#done += this.#waiting.splice(0, batchSize).length
      this.#context.log.error('audit entries lost', { entries: batchSize })
    }
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
    })
    return this.#waiting.length > manyWaiting && !this.#failing ? this.settled() : undefined
  }

  /** Resolves when all that was recorded before this call is written, or cannot be at the moment. */
  async settled(): Promise<void> {
    const awaited = this.#recorded
    while (this.#writing && this.#done < awaited) await Promise.race([this.#writing, this.#nextBatch()])
  }

  #batchWritten: () => void = () => {}
  #nextBatch(): Promise<void> {
    const before = this.#batchWritten
    return new Promise(resolve => {
      this.#batchWritten = () => {
        before()
        this.#batchWritten = () => {}
        resolve()
      }
    })
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Entries of about the same moment share one commit, and with it the index blocks that all of them change.
      if (this.#waiting.length < batchSize) await new Promise(resolve => setTimeout(resolve, gatherMs))
      const batch = this.#waiting.splice(0, batchSize)
      try {
        await this.#write(batch)
        this.#done += batch.length
        this.#failing = false
        this.#batchWritten()
      } catch (error) {
        this.#failing = true
        this.#waiting.unshift(...batch)
        this.#context.log.error('audit entries wait', describeError(error))
        // The next entry tries again; hammering a full disk helps nobody.
        return
      }
    }
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { store, random, clock } = this.#context
    const views = new Map<string, TenantStore | undefined>()
    for (const { tenant } of batch) {
      if (!views.has(tenant)) views.set(tenant, await store.tenant(tenant))
    }
    const attempt = ++this.#attempts
    for (const one of batch) one.attempt ??= attempt
    let left = batch.flatMap(one => {
      const view = views.get(one.tenant)
      // What was to be written before may be there.
      const place = { id: one.id, fresh: one.attempt === attempt }
      return view ? [{ attempt: one.attempt, write: auditEntry(view, random, one.action, place) }] : []
    })
    for (;;) {
      const result = await store.commit(
        left.map(({ write }) => write),
        clock.nowUs(),
      )
      if (result.ok) return
      // An attempt that seemed to fail had succeeded: its answer was lost with a connection.
      const written = left[result.conflict.write]?.attempt
      left = left.filter(one => one.attempt !== written)
    }
  }
}
