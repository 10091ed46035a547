/** A monotonic clock with timers. Tests replace it by one that they advance. */
export interface Monotonic {
  nowMs(): number
  /** Calls `task` once after `ms`. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
}

export const monotonic: Monotonic = {
  nowMs: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}
