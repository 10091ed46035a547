/** Real time that only goes forward, for waits and back-off. A test moves its own. */
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
