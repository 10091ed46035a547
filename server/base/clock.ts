/** Ends a timer that has not run yet. */
export type Cancel = () => void

/**
 * The time of the domain: real time plus an offset that only grows. Everything that expires, retries or
 * sweeps asks it, so a test moves all of it at once and nothing sleeps.
 */
export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number
  /** Epoch microseconds. */
  nowUs(): number
  /** Runs the task when the clock reaches `dueMs`; a rejected task is reported, never thrown. */
  at(dueMs: number, task: () => Promise<void>): Cancel
  /** Moves time forward; resolves when every task that fell due, and every task those made due, is done. */
  advance(ms: number): Promise<void>
  /** How far this clock is ahead of real time, in milliseconds. */
  offsetMs(): number
  /** Cancels all timers and waits for running tasks. */
  stop(): Promise<void>
}

export interface ClockOptions {
  readonly realNowMs?: () => number
  readonly offsetMs?: number
  readonly onError?: (error: unknown) => void
}

interface Timer {
  readonly dueMs: number
  readonly task: () => Promise<void>
}

// setTimeout takes 2^31-1 ms at most; a far timer is simply armed again.
const longestTimeoutMs = 2_000_000_000

export function createClock(options: ClockOptions = {}): Clock {
  const realNowMs = options.realNowMs ?? Date.now
  const onError = options.onError ?? (() => {})
  const timers = new Set<Timer>()
  const running = new Set<Promise<void>>()
  let offset = options.offsetMs ?? 0
  let alarm: NodeJS.Timeout | undefined
  let stopped = false
  const now = () => realNowMs() + offset

  function runDue(): void {
    const due = [...timers].filter(timer => timer.dueMs <= now()).sort((a, b) => a.dueMs - b.dueMs)
    for (const timer of due) {
      timers.delete(timer)
      const run: Promise<void> = timer
        .task()
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
    alarm = setTimeout(runDue, Math.min(Math.max(next - now(), 0), longestTimeoutMs))
    alarm.unref()
  }

  return {
    nowMs: now,
    nowUs: () => Math.floor(now() * 1000),
    offsetMs: () => offset,
    at(dueMs, task) {
      const timer = { dueMs, task }
      timers.add(timer)
      arm()
      return () => {
        timers.delete(timer)
        arm()
      }
    },
    async advance(ms) {
      if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError('a clock advances by 0 or more whole ms')
      offset += ms
      runDue()
      while (running.size > 0) {
        await Promise.all(running)
        runDue()
      }
    },
    async stop() {
      stopped = true
      timers.clear()
      clearTimeout(alarm)
      await Promise.all(running)
    },
  }
}
