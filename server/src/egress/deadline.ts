import { setMaxListeners } from 'node:events'

/** A time limit that also ends with another signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Removes the timer and the listener of the other signal. */
  clear(): void
}

/**
 * Returns a signal that aborts after real milliseconds, or when `other` does. Unlike those of `AbortSignal.timeout`,
 * its timer keeps the process alive until the request has ended.
 */
export function startDeadline(ms: number, other: AbortSignal): Deadline {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  if (other.aborted) abort()
  else {
    // All open requests of an invocation listen to its signal; without this, Node would warn of a leak.
    setMaxListeners(0, other)
    other.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer)
      other.removeEventListener('abort', abort)
    },
  }
}
