import { describeError, type Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { SealedStore, TenantStore } from '../storage/sealed.ts'
import { type AuditedAction, auditEntry } from './entries.ts'

/**
 * How many entries may wait. Only a store that cannot write lets so many come together; then the oldest go,
 * and the log says how many.
 */
const mostWaiting = 10_000

/** How many entries share a commit. */
const batchSize = 256

export interface RecorderContext {
  readonly store: SealedStore
  readonly random: Random
  readonly log: Log
  nowUs(): number
}

interface Waiting {
  readonly tenant: string
  readonly action: AuditedAction
}

/**
 * Writes audit entries for what changes nothing: reads that revealed data, and what was refused. What changes
 * something has its entry in the same commit; these follow behind, so that a read need not wait for a disk.
 */
export class AuditRecorder {
  readonly #context: RecorderContext
  #waiting: Waiting[] = []
  #recorded = 0
  #done = 0
  #writing: Promise<void> | undefined

  constructor(context: RecorderContext) {
    this.#context = context
  }

  record(tenant: string, action: AuditedAction): void {
    this.#waiting.push({ tenant, action })
    this.#recorded++
    if (this.#waiting.length > mostWaiting) {
      this.#done += this.#waiting.splice(0, batchSize).length
      this.#context.log.error('audit entries lost', { entries: batchSize })
    }
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
    })
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
    // Entries of the same moment share one commit.
    await new Promise(resolve => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize)
      try {
        await this.#write(batch)
        this.#done += batch.length
        this.#batchWritten()
      } catch (error) {
        this.#waiting.unshift(...batch)
        this.#context.log.error('audit entries wait', describeError(error))
        // The next entry tries again; hammering a full disk helps nobody.
        return
      }
    }
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { store, random, nowUs } = this.#context
    const views = new Map<string, TenantStore | undefined>()
    for (const { tenant } of batch) {
      if (!views.has(tenant)) views.set(tenant, await store.tenant(tenant))
    }
    const writes = batch.flatMap(({ tenant, action }) => {
      const view = views.get(tenant)
      return view ? [auditEntry(view, random, action)] : []
    })
    await store.commit(writes, nowUs())
  }
}
