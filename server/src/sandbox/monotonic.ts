import { clearTimeout, monotonicMs, setTimeout } from '../base/time/real-time.ts'
/** A monotonic clock with timers. Tests replace it by one that they advance. */
export interface Monotonic {
  nowMs(): number
  /** Calls `task` once after `ms`. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
}

export const monotonic: Monotonic = {
  nowMs: monotonicMs,
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}
