import { setMaxListeners } from 'node:events'

/** Something that ends by itself after a while, or with another signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Lets go of the timer and of the other signal: what was waited for has come. */
  clear(): void
}

/**
 * A signal that aborts after real milliseconds, or when `other` does. Its timer is held on to: those of
 * `AbortSignal.timeout` keep no process alive, and a request that waits for nothing else would never end.
 */
export function startDeadline(ms: number, other: AbortSignal): Deadline {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  if (other.aborted) abort()
  else {
    // All that is open in one invocation listens to its signal, which Node would take for a leak.
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
