import { describeError, type Log } from '../base/log.ts'
import type { Clock } from '../base/time/clock.ts'
import { StoreUnavailable } from '../storage/port/port.ts'
import { eraseOldEntries } from './log-retention.ts'
import { type SweepContext, sweep } from './sweep.ts'

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

interface SweeperContext extends Omit<SweepContext, 'pause'> {
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
 * of the lease does so. Compaction follows the sweep, so that it removes what was just erased. Returns a function that ends
 * a sweep in progress at its next pause.
 */
export function startSweeper(context: SweeperContext): () => void {
  const { clock, log, holder } = context
  const { store: engine } = context.records
  let stopped = false
  /** The time of the tenant that is furthest ahead. */
  const furthestMs = () => clock.nowMs() + clock.tenants.furthestMs()
  /** True at a time, and also if the clocks were put back by more than the interval since it was set. */
  const isDue = (atMs: number, everyMs: number) => {
    const leftMs = atMs - furthestMs()
    return leftMs <= 0 || leftMs > everyMs
  }
  let compactMs = furthestMs() + firstCompactionMs
  let eraseEntriesMs = furthestMs()

  const lease = (untilMs: number, name = 'sweep') =>
    engine.lease({ name, holder, nowMs: clock.nowMs(), untilMs })

  /**
   * Leases are on one node of the database. While it does not answer, several processes may sweep: that costs time, but
   * nothing is erased twice.
   */
  const leaseIfPossible = (untilMs: number) =>
    lease(untilMs).catch(error => {
      if (error instanceof StoreUnavailable) return true
      throw error
    })

  const sweepAlone = async () => {
    let untilMs = clock.nowMs() + leaseMs
    if (!(await leaseIfPossible(untilMs))) return
    const pause = async () => {
      await context.yield()
      if (stopped) return false
      if (untilMs - clock.nowMs() > leaseMs / 2) return true
      untilMs = clock.nowMs() + leaseMs
      return leaseIfPossible(untilMs)
    }
    try {
      await attempt('sweep failed', async () => {
        const { erased, failure } = await sweep({ ...context, pause })
        if (erased > 0) log.info('swept', { erased })
        if (failure) throw failure
      })
      if (isDue(eraseEntriesMs, eraseEntriesEveryMs)) {
        await attempt('erasing old log entries failed', async () => {
          const { erased, isFinished, failure } = await eraseOldEntries({ ...context, pause })
          if (erased > 0) log.info('old log entries erased', { erased })
          if (isFinished) eraseEntriesMs = furthestMs() + eraseEntriesEveryMs
          if (failure) throw failure
        })
      }
      if (!isDue(compactMs, compactEveryMs) || !(await pause())) return
      if (!(await lease(clock.nowMs() + compactLeaseMs, 'compact'))) return
      await attempt('compaction failed', async () => {
        await engine.compact()
        compactMs = furthestMs() + compactEveryMs
      })
    } finally {
      await leaseIfPossible(clock.nowMs())
    }
  }
  /** A failed task, for instance because of a full disk, is tried again the next time. */
  const attempt = async (failure: string, task: () => Promise<void>) => {
    try {
      await task()
    } catch (error) {
      log.error(failure, describeError(error))
    }
  }
  const repeat = () => {
    clock.at(clock.nowMs() + sweepEveryMs, async () => {
      await attempt('sweep failed', sweepAlone)
      repeat()
    })
  }
  repeat()
  return () => {
    stopped = true
  }
}
