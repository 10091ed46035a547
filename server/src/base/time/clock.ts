import { AsyncLocalStorage } from 'node:async_hooks'
import { clearTimeout, machineMs, monotonicMs as realMonotonicMs, setTimeout } from './real-time.ts'

/**
 * How far tests have moved single tenants ahead of the vault's clock. While a request, a job or an erasure of such a
 * tenant is worked on, its time counts. Nothing is tracked until the first tenant is moved.
 */
export class TenantTime {
  readonly #offsets = new Map<string, number>()
  #current: AsyncLocalStorage<string | undefined> | undefined

  /** Returns how far a tenant is ahead, in milliseconds; by default the tenant that is worked on. */
  offsetMs(tenant = this.#current?.getStore()): number {
    return tenant === undefined ? 0 : (this.#offsets.get(tenant) ?? 0)
  }

  /** Returns how far the furthest tenant is ahead. */
  furthestMs(): number {
    return Math.max(0, ...this.#offsets.values())
  }

  offsets(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#offsets)
  }

  setOffset(tenant: string, ms: number): void {
    this.#current ??= new AsyncLocalStorage()
    if (ms === 0) this.#offsets.delete(tenant)
    else this.#offsets.set(tenant, ms)
  }

  /** Puts all tenants back to the vault's time. */
  clear(): void {
    this.#offsets.clear()
  }

  /** Runs a task in the time of a tenant; in that of the vault for `undefined`. */
  run<T>(tenant: string | undefined, task: () => T): T {
    return this.#current ? this.#current.run(tenant, task) : task()
  }

  /** Ends the tracking, which slows down every promise of the process. */
  close(): void {
    this.#current?.disable()
  }
}

/** Cancels a timer that has not run yet. */
export type Cancel = () => void

/**
 * The time of the domain: real time plus an offset that only grows. Everything that expires, is retried or swept uses
 * it, so a test can move all of it at once and nothing sleeps. It never goes back: if the machine's clock is set back,
 * it goes on by monotonic time, one percent slower, until the machine's clock has caught up.
 */
export interface Clock {
  /** Returns epoch milliseconds. */
  nowMs(): number
  /** Returns epoch microseconds: of a tenant, or of the one that is worked on, or else of the vault. */
  nowUs(tenant?: string): number
  /** The tenants that are ahead of the vault. */
  readonly tenants: Pick<TenantTime, 'offsetMs' | 'furthestMs' | 'run'>
  /** Runs the task when the clock reaches `dueMs`; a rejected task is reported, never thrown. */
  at(dueMs: number, task: () => Promise<void>): Cancel
  /** Returns the machine's time, even if it was set back: for receivers that compare it with their own. */
  machineMs(): number
}

/** The clock as its owner has it, who keeps it across restarts and moves it for tests. */
export interface MovableClock extends Clock {
  readonly tenants: TenantTime
  /** Moves time forward; resolves when every task that fell due, and every task those made due, is done. */
  advance(ms: number): Promise<void>
  /** Moves the time of one tenant forward; resolves when everything of it that fell due is done. */
  advanceTenant(tenant: string, ms: number): Promise<void>
  /** Puts the clock and those of all tenants back to real time. Timers run as long from now as before. */
  putBack(): void
  /** Returns how far this clock was moved forward, in milliseconds. */
  offsetMs(): number
  /** Returns the real time that this clock has reached, which is never behind the machine's clock. */
  reachedMs(): number
  /** Jumps forward to a real time that was reached before a restart or by another server, if it is later. */
  reach(realMs: number): void
  /** Cancels all timers and waits for running tasks. */
  stop(): Promise<void>
}

interface ClockOptions {
  /** The machine's clock, which may be set back. */
  readonly realNowMs?: () => number
  /** The machine's clock for receivers outside, if `realNowMs` is not that of a machine. */
  readonly machineMs?: () => number
  /** Monotonic time. By default derived from `realNowMs` if that is given. */
  readonly monotonicMs?: () => number
  readonly offsetMs?: number
  /** Real time that was reached before. */
  readonly reachedMs?: number
  readonly tenants?: TenantTime
  readonly onError?: (error: unknown) => void
}

interface Timer {
  dueMs: number
  readonly task: () => Promise<void>
}

/** Timeouts are armed again after this time, as the machine's clock may have been set forward. */
const longestTimeoutMs = 60_000

/** Speed of time while the machine's clock is behind it. */
const catchingUp = 0.99

export function createClock(options: ClockOptions = {}): MovableClock {
  const realNowMs = options.realNowMs ?? machineMs
  const monotonicMs =
    options.monotonicMs ?? (options.realNowMs ? forwardOf(options.realNowMs) : realMonotonicMs)
  const onError = options.onError ?? (() => {})
  const { tenants = new TenantTime() } = options
  const timers = new Set<Timer>()
  const running = new Set<Promise<void>>()
  let offset = options.offsetMs ?? 0
  let alarm: NodeJS.Timeout | undefined
  let stopped = false
  let reached = Math.max(realNowMs(), options.reachedMs ?? 0)
  let reachedAt = monotonicMs()
  const real = () => {
    const at = monotonicMs()
    reached = Math.max(realNowMs(), reached + (at - reachedAt) * catchingUp)
    reachedAt = at
    return reached
  }
  const now = () => real() + offset

  function runDue(untilMs = now()): void {
    const due = [...timers].filter(timer => timer.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)
    for (const timer of due) {
      timers.delete(timer)
      // A timer may have been set while a tenant was worked on.
      const run: Promise<void> = tenants
        .run(undefined, timer.task)
        .catch(onError)
        .finally(() => running.delete(run))
      running.add(run)
    }
    arm()
  }

  function arm(): void {
    clearTimeout(alarm)
    if (stopped || timers.size === 0) return
    const next = Math.min(...[...timers].map(timer => timer.dueMs))
    alarm = setTimeout(() => runDue(), Math.min(Math.max(next - now(), 0), longestTimeoutMs))
    alarm.unref()
  }

  function check(ms: number): void {
    if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('a clock advances by 0 or more whole ms')
  }

  async function settled(): Promise<void> {
    while (running.size > 0) {
      await Promise.all(running)
      runDue()
    }
  }

  return {
    tenants,
    nowMs: () => Math.floor(now() + tenants.offsetMs()),
    nowUs: tenant => Math.floor((now() + tenants.offsetMs(tenant)) * 1000),
    offsetMs: () => offset,
    machineMs: options.machineMs ?? realNowMs,
    reachedMs: () => Math.floor(real()),
    reach(realMs) {
      reached = Math.max(real(), realMs)
      runDue()
    },
    at(dueMs, task) {
      const timer = { dueMs: dueMs - tenants.offsetMs(), task }
      timers.add(timer)
      arm()
      return () => {
        timers.delete(timer)
        arm()
      }
    },
    async advance(ms) {
      check(ms)
      offset += ms
      runDue()
      await settled()
    },
    async advanceTenant(tenant, ms) {
      check(ms)
      tenants.setOffset(tenant, tenants.offsetMs(tenant) + ms)
      // Timers look for what is due, of any tenant: for this one it may be due earlier than for the others.
      runDue(Number.POSITIVE_INFINITY)
      await settled()
    },
    putBack() {
      for (const timer of timers) timer.dueMs -= offset
      offset = 0
      tenants.clear()
      arm()
    },
    async stop() {
      stopped = true
      timers.clear()
      clearTimeout(alarm)
      await Promise.all(running)
    },
  }
}

/** Returns a clock that goes forward with `nowMs` and stands still when that is set back. */
function forwardOf(nowMs: () => number): () => number {
  let last = nowMs()
  let passed = 0
  return () => {
    const now = nowMs()
    passed += Math.max(0, now - last)
    last = now
    return passed
  }
}
