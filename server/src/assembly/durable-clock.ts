import { isDeepStrictEqual } from 'node:util'
import { describeError, type Log } from '../base/log.ts'
import { createClock, type MovableClock, type TenantTime } from '../base/time/clock.ts'
import type { Records } from '../storage/records/records.ts'

/** The interval at which the time is written down: a crash loses no more of it. */
const keepEveryMs = 60_000

/** The least difference to the machine's clock that is logged. */
const notableMs = 5_000

interface StoredTime {
  readonly id: 'clock'
  /** The time by which a test server was moved forward. */
  readonly offset_ms: number
  /** The real time that was reached; absent in records of earlier versions. */
  readonly reached_ms?: number
  /** The times by which single tenants are ahead. */
  readonly tenants_ms?: Readonly<Record<string, number>>
}

export interface DurableClock extends MovableClock {
  /** Writes the time down. */
  keep(): Promise<void>
  /** Starts to write the time down every minute, until `stop`. */
  keepRegularly(): void
}

export interface RealTime {
  nowMs(): number
  /** The machine's clock, if `nowMs` is not: of a seed, whose time stands still. */
  readonly machineMs?: () => number
  /** Monotonic time, if it is not derived from `nowMs`. */
  readonly monotonicMs?: () => number
}

/**
 * Opens a clock that never goes back, also across restarts: what has expired must not come back if a test moved the
 * time forward, or if the machine's clock was set back since.
 */
export async function openDurableClock(
  real: RealTime,
  store: Records,
  log: Log,
  tenants: TenantTime,
): Promise<DurableClock> {
  const root = await store.root(real.nowMs() * 1000)
  const kept = await root.get<StoredTime>('setting', 'clock')
  for (const [tenant, ms] of Object.entries(kept?.value.tenants_ms ?? {})) tenants.setOffset(tenant, ms)
  const clock = createClock({
    realNowMs: real.nowMs,
    ...(real.machineMs ? { machineMs: real.machineMs } : {}),
    ...(real.monotonicMs ? { monotonicMs: real.monotonicMs } : {}),
    offsetMs: kept?.value.offset_ms ?? 0,
    reachedMs: kept?.value.reached_ms ?? 0,
    tenants,
    onError: error => log.error('timer failed', describeError(error)),
  })
  let loggedMs = 0
  const logDifference = () => {
    const aheadMs = Math.round(clock.reachedMs() - real.nowMs())
    const isNotable = aheadMs - loggedMs >= notableMs
    if (isNotable) log.warn('the clock was set back; time goes on from where it was', { ahead_ms: aheadMs })
    // Nothing is logged while the machine catches up.
    if (isNotable || aheadMs < loggedMs) loggedMs = aheadMs
  }
  logDifference()

  const keep = async () => {
    for (;;) {
      // Opened each time, as a test server can be emptied.
      const view = await store.root(clock.nowUs())
      const current = await view.get<StoredTime>('setting', 'clock')
      // Another server on the same database may be further ahead: the stored time never goes back.
      const { offset_ms: offsetMs = 0, reached_ms: reachedMs = 0 } = current?.value ?? {}
      clock.reach(reachedMs)
      const tenantsMs = { ...current?.value.tenants_ms, ...tenants.offsets() }
      const value: StoredTime = {
        id: 'clock',
        offset_ms: Math.max(offsetMs, clock.offsetMs()),
        reached_ms: clock.reachedMs(),
        ...(Object.keys(tenantsMs).length === 0 ? {} : { tenants_ms: tenantsMs }),
      }
      if (current && isDeepStrictEqual(value, current.value)) return
      const write = current ? view.replace('setting', current.version, value) : view.insert('setting', value)
      if ((await view.commit([write], clock.nowUs())).ok) return
    }
  }
  const keepRegularly = () => {
    clock.at(clock.nowMs() + keepEveryMs, async () => {
      logDifference()
      await keep().catch(error => log.error('the time could not be kept', describeError(error)))
      keepRegularly()
    })
  }
  return { ...clock, keep, keepRegularly }
}
