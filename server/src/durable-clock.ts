import { type Clock, createClock } from './base/clock.ts'
import { describeError, type Log } from './base/log.ts'
import type { SealedStore } from './storage/records/sealed.ts'

/** How often the time is kept: what of it a crash can lose. */
const keepEveryMs = 60_000

/** By how much a machine's clock has to be set back for the operator to be told. */
const notableMs = 5_000

interface KeptTime {
  readonly id: 'clock'
  /** How far time was moved forward on a test server. */
  readonly offset_ms: number
  /** The real time that was reached; absent in records of earlier versions. */
  readonly reached_ms?: number
}

export interface DurableClock extends Clock {
  /** Writes down how far time has come. */
  keep(): Promise<void>
  /** Begins to do so every minute. Ends with `stop`. */
  keepRegularly(): void
}

export interface RealTime {
  nowMs(): number
  /** Where it is not what `nowMs` goes forward. */
  readonly monotonicMs?: () => number
}

/**
 * Time that has passed stays passed, also over a restart: what had expired must not come back, whether the time
 * was moved forward by a test or the machine's clock was set back since.
 */
export async function openDurableClock(real: RealTime, store: SealedStore, log: Log): Promise<DurableClock> {
  const root = await store.root(real.nowMs() * 1000)
  const kept = await root.get<KeptTime>('setting', 'clock')
  const clock = createClock({
    realNowMs: () => real.nowMs(),
    ...(real.monotonicMs ? { monotonicMs: real.monotonicMs } : {}),
    offsetMs: kept?.value.offset_ms ?? 0,
    reachedMs: kept?.value.reached_ms ?? 0,
    onError: error => log.error('timer failed', describeError(error)),
  })
  let toldMs = 0
  const tellDifference = () => {
    const aheadMs = Math.round(clock.reachedMs() - clock.machineMs())
    const isNotable = aheadMs - toldMs >= notableMs
    if (isNotable) log.warn('the clock was set back; time goes on from where it was', { ahead_ms: aheadMs })
    // While the machine catches up there is nothing to tell.
    if (isNotable || aheadMs < toldMs) toldMs = aheadMs
  }
  tellDifference()

  const keep = async () => {
    for (;;) {
      // Not the one of before: a test server can be emptied.
      const view = await store.root(clock.nowUs())
      const current = await view.get<KeptTime>('setting', 'clock')
      // Another server on the same database may have come further: the time that is kept never goes back.
      const { offset_ms: offsetMs = 0, reached_ms: reachedMs = 0 } = current?.value ?? {}
      clock.reach(reachedMs)
      const value: KeptTime = {
        id: 'clock',
        offset_ms: Math.max(offsetMs, clock.offsetMs()),
        reached_ms: clock.reachedMs(),
      }
      if (current && value.offset_ms === offsetMs && value.reached_ms === reachedMs) return
      const write = current ? view.replace('setting', current.version, value) : view.insert('setting', value)
      if ((await view.commit([write], clock.nowUs())).ok) return
    }
  }
  const keepRegularly = () => {
    clock.at(clock.nowMs() + keepEveryMs, async () => {
      tellDifference()
      await keep().catch(error => log.error('the time could not be kept', describeError(error)))
      keepRegularly()
    })
  }
  return { ...clock, keep, keepRegularly }
}
