import { batches } from '../base/flow/batches.ts'
import { describeError, type Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Clock } from '../base/time/clock.ts'
import { setTimeout } from '../base/time/real-time.ts'
import type { Records, TenantRecords } from '../storage/records/records.ts'
import { type AuditedAction, auditEntry, idsOf } from './entries.ts'
import { RefusalCounts } from './refusals.ts'

// Entries are measured by what they are about, as each id of an entry costs memory and a term of the index.

/** Backpressure: with more waiting than this, reads wait until it is written. */
const manyWaiting = 2000

/** The limit on what waits while the store cannot write. Beyond it the oldest entries are dropped, which is logged. */
const mostWaiting = 10_000

/** The time for which entries are gathered into one commit, in real milliseconds. A crash can lose those. */
const gatherMs = 10

/** The time for which repeated refusals are counted before one entry is written for all of them. */
const countMs = 60_000

/** The most that shares a commit: 512 instead of 256 brings 5 % where requests reveal a hundred tokens each. */
const batchSize = 512

interface RecorderParts {
  readonly records: Records
  readonly random: Random
  readonly log: Log
  readonly clock: Pick<Clock, 'at' | 'nowMs' | 'nowUs' | 'tenants'>
}

interface Waiting {
  readonly id: string
  readonly tenant: string
  readonly action: AuditedAction
  /** The number of the first attempt to write it. Entries with the same number have been in the same commits since. */
  attempt?: number
}

const weightOf = ({ action }: Waiting) => Math.max(1, idsOf(action).length)
const weigh = (entries: readonly Waiting[]) => entries.reduce((sum, entry) => sum + weightOf(entry), 0)

/**
 * Writes audit entries of actions that change nothing: reads that reveal data, and refusals. Actions that change something
 * have their entry in the same commit. These are written later, so that a read need not wait for the disk.
 */
export class AuditRecorder {
  readonly #parts: RecorderParts
  readonly #refusals = new RefusalCounts()
  #waiting: Waiting[] = []
  #recorded = 0
  #failing = false
  #attempts = 0
  #done = 0
  #writing: Promise<void> | undefined

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  /** Queues an entry, and counts repeated refusals. Returns a promise to wait for if too many entries are waiting. */
  record(tenant: string, action: AuditedAction): undefined | Promise<void> {
    if (action.outcome !== 'refused') return this.#take(tenant, action)
    const { clock } = this.#parts
    if (this.#refusals.size === 0) clock.at(clock.nowMs() + countMs, async () => this.#takeCounted())
    if (this.#refusals.repeats(tenant, action)) return undefined
    for (const counted of this.#refusals.takeSurplus()) this.#take(counted.tenant, counted.action)
    return this.#take(tenant, action)
  }

  /** Writes the counted refusals, and resolves when all entries are written or the store cannot write. */
  async close(): Promise<void> {
    this.#takeCounted()
    await this.settled()
  }

  #takeCounted(): void {
    for (const { tenant, action } of this.#refusals.takeAll()) this.#take(tenant, action)
  }

  /** What was recorded and is not written yet, measured like the limits. */
  get #unwritten(): number {
    return this.#recorded - this.#done
  }

  #take(tenant: string, action: AuditedAction): undefined | Promise<void> {
    const entry = { id: this.#parts.random.timedUuid(), tenant, action }
    this.#waiting.push(entry)
    this.#recorded += weightOf(entry)
    if (this.#failing && this.#unwritten > mostWaiting) {
      const lost = this.#waiting.splice(0, this.#firstBatch().length)
      this.#done += weigh(lost)
      this.#parts.log.error('audit entries lost', { entries: lost.length })
    }
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
    })
    return this.#unwritten > manyWaiting && !this.#failing ? this.settled() : undefined
  }

  /** Resolves when all entries recorded before this call are written, or the store cannot write. */
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
      // Entries of about the same time share one commit, and so the index blocks that all of them change.
      if (this.#unwritten < batchSize) await new Promise(resolve => setTimeout(resolve, gatherMs))
      const batch = this.#waiting.splice(0, this.#together())
      try {
        await this.#write(batch)
        this.#done += weigh(batch)
        this.#failing = false
        this.#batchWritten()
      } catch (error) {
        this.#failing = true
        this.#waiting.unshift(...batch)
        this.#parts.log.error('audit entries wait', describeError(error))
        // The next entry tries again: retrying at once would not help against a full disk.
        return
      }
    }
  }

  #firstBatch(): readonly Waiting[] {
    const [first = []] = batches(this.#waiting, batchSize, weightOf)
    return first
  }

  /** Returns how many of the entries share a commit: they have the time of one clock. */
  #together(): number {
    const { tenants } = this.#parts.clock
    const batch = this.#firstBatch()
    const [first] = batch
    if (!first || tenants.furthestMs() === 0) return batch.length
    const other = batch.findIndex(({ tenant }) => tenants.offsetMs(tenant) !== tenants.offsetMs(first.tenant))
    return other === -1 ? batch.length : other
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { records, random, clock } = this.#parts
    const views = new Map<string, TenantRecords | undefined>()
    for (const { tenant } of batch) {
      if (!views.has(tenant)) views.set(tenant, await records.tenant(tenant))
    }
    const attempt = ++this.#attempts
    for (const one of batch) one.attempt ??= attempt
    let left = batch.flatMap(one => {
      const view = views.get(one.tenant)
      // An earlier attempt may have written it.
      const place = { id: one.id, fresh: one.attempt === attempt }
      return view ? [{ attempt: one.attempt, write: auditEntry(view, random, one.action, place) }] : []
    })
    for (;;) {
      const result = await records.commit(
        left.map(({ write }) => write),
        clock.nowUs(batch[0]?.tenant),
      )
      if (result.ok) return
      // An earlier attempt has succeeded after all: its answer was lost with a connection.
      const written = left[result.conflict.write]?.attempt
      left = left.filter(one => one.attempt !== written)
    }
  }
}
