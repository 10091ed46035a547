import type { Clock } from '../base/clock.ts'
import { describeError, type Log } from '../base/log.ts'
import { type SweepContext, sweep } from './sweep.ts'

/** Far inside the hour within which an expired token must be gone. */
const sweepEveryMs = 60_000

/** Erased bytes may lie in the files until then: well inside the hour as well. */
const compactEveryMs = 30 * 60_000

/** Longer than a sweep takes; a sweeper that died holds the others up no longer than this. */
const leaseMs = 5 * 60_000

export interface SweeperContext extends SweepContext {
  readonly clock: Clock
  readonly log: Log
  /** Tells this sweeper from those of other processes. */
  readonly holder: string
}

/**
 * Sweeps every minute and compacts every half hour, by the domain's clock. Of several processes on one store
 * only the one that holds the lease does it.
 */
export function startSweeper(context: SweeperContext): void {
  const { clock, log } = context
  const { store: engine } = context.store

  const repeat = (everyMs: number, task: () => Promise<void>) => {
    clock.at(clock.nowMs() + everyMs, async () => {
      try {
        await task()
      } catch (error) {
        // A store that cannot write now will be swept when it can again.
        log.error('sweep failed', describeError(error))
      }
      repeat(everyMs, task)
    })
  }
  const alone = async (name: string, task: () => Promise<void>) => {
    const lease = { name, holder: context.holder, nowMs: clock.nowMs() }
    if (!(await engine.lease({ ...lease, untilMs: clock.nowMs() + leaseMs }))) return
    try {
      await task()
    } finally {
      await engine.lease({ ...lease, nowMs: clock.nowMs(), untilMs: clock.nowMs() })
    }
  }
  repeat(sweepEveryMs, () =>
    alone('sweep', async () => {
      const erased = await sweep(context)
      if (erased > 0) log.info('swept', { erased })
    }),
  )
  repeat(compactEveryMs, () => alone('compact', () => engine.compact()))
}
