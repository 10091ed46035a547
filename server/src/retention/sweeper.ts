import type { Clock } from '../base/clock.ts'
import { describeError, type Log } from '../base/log.ts'
import { eraseOldEntries } from './log-retention.ts'
import { type SweepContext, sweep } from './sweep.ts'

/** Far inside the hour within which an expired token must be gone. */
// Requirements: TOK-039
const sweepEveryMs = 60_000

/** Erased bytes may lie in the files until then: well inside the hour as well. */
const compactEveryMs = 30 * 60_000

/** Sooner after a start: the process before this one may have ended before its turn came. */
const firstCompactionMs = 10 * 60_000

/** Of several servers whoever has compacted keeps the others from doing it again so soon, also where it died of it. */
const compactLeaseMs = 20 * 60_000

/** The oldest entries of the log go once a day: each time LevelDB has to write the log's files anew. */
const eraseEntriesEveryMs = 24 * 3_600_000

/** A sweeper that died holds the others up no longer than this; one that lives prolongs it as it goes. */
const leaseMs = 5 * 60_000

export interface SweeperContext extends Omit<SweepContext, 'pause'> {
  readonly clock: Clock
  readonly log: Log
  readonly auditRetentionDays: number
  /** Tells this sweeper from those of other processes. */
  readonly holder: string
  /** Lets whatever else waits go first. */
  yield(): Promise<void>
}

/**
 * Sweeps every minute and compacts every half hour, by the domain's clock. Of several processes on one store
 * only the one that holds the lease does it. Compaction comes behind the sweep, so that it takes along what
 * was erased just now. Answers how to end a sweep that is under way, at its next pause.
 */
export function startSweeper(context: SweeperContext): () => void {
  const { clock, log, holder } = context
  const { store: engine } = context.store
  let stopped = false
  let compactMs = clock.nowMs() + firstCompactionMs
  let eraseEntriesMs = clock.nowMs()

  const lease = (untilMs: number, name = 'sweep') =>
    engine.lease({ name, holder, nowMs: clock.nowMs(), untilMs })

  const sweepAlone = async () => {
    let untilMs = clock.nowMs() + leaseMs
    if (!(await lease(untilMs))) return
    const pause = async () => {
      await context.yield()
      if (stopped) return false
      if (untilMs - clock.nowMs() > leaseMs / 2) return true
      untilMs = clock.nowMs() + leaseMs
      return lease(untilMs)
    }
    try {
      await attempt('sweep failed', async () => {
        const erased = await sweep({ ...context, pause })
        if (erased > 0) log.info('swept', { erased })
      })
      if (clock.nowMs() >= eraseEntriesMs) {
        await attempt('erasing old log entries failed', async () => {
          const { erased, isFinished } = await eraseOldEntries({ ...context, pause })
          if (erased > 0) log.info('old log entries erased', { erased })
          if (isFinished) eraseEntriesMs = clock.nowMs() + eraseEntriesEveryMs
        })
      }
      if (clock.nowMs() < compactMs || !(await pause())) return
      if (!(await lease(clock.nowMs() + compactLeaseMs, 'compact'))) return
      await attempt('compaction failed', async () => {
        await engine.compact()
        compactMs = clock.nowMs() + compactEveryMs
      })
    } finally {
      await lease(clock.nowMs())
    }
  }
  /** What fails now, such as on a full disk, is tried again the next time. */
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
