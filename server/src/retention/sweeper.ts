import { describeError, type Log } from '../base/log.ts'
import type { Clock } from '../base/time/clock.ts'
import { StoreUnavailable } from '../storage/port/port.ts'
import { eraseOldEntries } from './log-retention.ts'
import { type SweepParts, sweep } from './sweep.ts'

/** Far inside the hour within which an expired token must be gone. */
// Requirements: TOK-039
const sweepEveryMs = 60_000

/** Until then the files may contain erased bytes: this, too, is well inside the hour. */
const compactEveryMs = 30 * 60_000

/** Sooner after a start, as the previous process may have ended before its compaction. */
const firstCompactionMs = 10 * 60_000

/** A server that has compacted keeps the others from doing so for this time, even if it died meanwhile. */
const compactLeaseMs = 20 * 60_000

/** Once a day, as an engine may rewrite the files of the log each time. */
const eraseEntriesEveryMs = 24 * 3_600_000

/** The time after which another sweeper replaces one that died. A live one renews its lease. */
const leaseMs = 5 * 60_000

interface SweeperParts extends Omit<SweepParts, 'pause'> {
  readonly clock: Clock
  readonly log: Log
  readonly auditRetentionDays: number
  /** The id of this sweeper. */
  readonly holder: string
  /** Yields to other work. */
  yield(): Promise<void>
}

/**
 * Sweeps every minute and compacts every half hour, by the vault's clock. Of several processes on one store only the holder
 * of the lease does so. Compaction follows the sweep, so that it removes what was just erased.
 */
export class Sweeper {
  readonly #parts: SweeperParts
  #isStopped = false
  /** The times of the next compaction and erasure of old entries. */
  #compactMs: number
  #eraseEntriesMs: number

  constructor(parts: SweeperParts) {
    this.#parts = parts
    this.#compactMs = this.#furthestMs() + firstCompactionMs
    this.#eraseEntriesMs = this.#furthestMs()
  }

  /** To be called once. */
  start(): void {
    const { clock } = this.#parts
    clock.at(clock.nowMs() + sweepEveryMs, async () => {
      await this.#attempt('sweep failed', () => this.#sweepAlone())
      this.start()
    })
  }

  /** Ends a sweep in progress at its next pause. */
  stop(): void {
    this.#isStopped = true
  }

  async #sweepAlone(): Promise<void> {
    const { clock, log, records } = this.#parts
    let untilMs = clock.nowMs() + leaseMs
    if (!(await this.#leaseIfPossible(untilMs))) return
    const pause = async () => {
      await this.#parts.yield()
      if (this.#isStopped) return false
      if (untilMs - clock.nowMs() > leaseMs / 2) return true
      untilMs = clock.nowMs() + leaseMs
      return this.#leaseIfPossible(untilMs)
    }
    try {
      await this.#attempt('sweep failed', async () => {
        const { erased, failure } = await sweep({ ...this.#parts, pause })
        if (erased > 0) log.info('swept', { erased })
        if (failure) throw failure
      })
      if (this.#isDue(this.#eraseEntriesMs, eraseEntriesEveryMs)) {
        await this.#attempt('erasing old log entries failed', async () => {
          const { erased, isFinished, failure } = await eraseOldEntries({ ...this.#parts, pause })
          if (erased > 0) log.info('old log entries erased', { erased })
          if (isFinished) this.#eraseEntriesMs = this.#furthestMs() + eraseEntriesEveryMs
          if (failure) throw failure
        })
      }
      if (!this.#isDue(this.#compactMs, compactEveryMs) || !(await pause())) return
      if (!(await this.#lease(clock.nowMs() + compactLeaseMs, 'compact'))) return
      await this.#attempt('compaction failed', async () => {
        await records.engine.compact()
        this.#compactMs = this.#furthestMs() + compactEveryMs
      })
    } finally {
      await this.#leaseIfPossible(clock.nowMs())
    }
  }

  /** Runs a task. One that fails, for instance because of a full disk, is tried again the next time. */
  async #attempt(failure: string, task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      this.#parts.log.error(failure, describeError(error))
    }
  }

  #lease(untilMs: number, name = 'sweep'): Promise<boolean> {
    const { clock, records, holder } = this.#parts
    return records.engine.lease({ name, holder, nowMs: clock.nowMs(), untilMs })
  }

  /**
   * Leases are on one node of the database. While it does not answer, several processes may sweep: that costs time, but
   * nothing is erased twice.
   */
  #leaseIfPossible(untilMs: number): Promise<boolean> {
    return this.#lease(untilMs).catch(error => {
      if (error instanceof StoreUnavailable) return true
      throw error
    })
  }

  /** Returns the time of the tenant that is furthest ahead. */
  #furthestMs(): number {
    const { clock } = this.#parts
    return clock.nowMs() + clock.tenants.furthestMs()
  }

  /** True at a time, and also if the clocks were put back by more than the interval since it was set. */
  #isDue(atMs: number, everyMs: number): boolean {
    const leftMs = atMs - this.#furthestMs()
    return leftMs <= 0 || leftMs > everyMs
  }
}
