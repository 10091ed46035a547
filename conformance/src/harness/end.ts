import { setMaxListeners } from 'node:events'

/** Combines the time limit of a run and the caller's signal. */
export function endOf(limitMs: number, given: AbortSignal | undefined) {
  const controller = new AbortController()
  // A case may send a hundred requests at a time.
  setMaxListeners(0, controller.signal)
  const stop = () => controller.abort(given?.reason)
  const timer = setTimeout(
    () => controller.abort(`the run exceeded its limit of ${limitMs / 1000} s`),
    limitMs,
  )
  if (given?.aborted) stop()
  given?.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    reason: () => String(controller.signal.reason),
    clear() {
      clearTimeout(timer)
      given?.removeEventListener('abort', stop)
    },
  }
}
