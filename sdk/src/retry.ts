import type { SurrogateError } from './errors.ts'

/** Time and randomness for retries; tests replace them. */
export interface Waits {
  /** Resolves after `ms` milliseconds, or earlier when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1. */
  random(): number
  /** Milliseconds since 1970. */
  now(): number
}

/** Calls `ring` after `ms` milliseconds and when the signal aborts. Returns a function that prevents both. */
export function setAlarm(ms: number, signal: AbortSignal | undefined, ring: () => void): () => void {
  // A timer fires at once if its delay exceeds a 32-bit integer.
  const timer = (ms < 2 ** 31 && setTimeout(ring, ms)) as ReturnType<typeof setTimeout>
  signal?.addEventListener('abort', ring)
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', ring)
  }
}

export const realWaits: Waits = {
  sleep: (ms, signal) =>
    new Promise(resolve => {
      const cancel = setAlarm(ms, signal, () => {
        cancel()
        resolve()
      })
    }),
  random: Math.random,
  now: () => Date.now(),
}

/**
 * Returns the milliseconds to wait before another attempt: exponential backoff with full jitter, from half a second
 * to eight seconds at most, and at least as long as `Retry-After`. False if another attempt would fail too, or would
 * have to wait for more than a minute.
 */
export function waitBefore(
  { status = 500, headers, problem }: SurrogateError,
  retries: number,
  maybeDone: boolean,
  { random, now }: Waits,
): number | false {
  const type = `${problem?.type}`
  const isWorthIt =
    status > 499
      ? // A retry of a formula that failed could repeat its side effects, such as charging a card.
        status !== 501 && !type.endsWith(':reactor_runtime')
      : status === 408 ||
        status === 429 ||
        // The earlier attempt, whose response was lost, is still running under this idempotency key.
        (maybeDone && type.endsWith(':idempotency_conflict'))
  // A number of seconds or a date (RFC 9110, 10.2.3).
  const value = headers?.get('retry-after') as string
  const asked = Number(value) * 1000 || Date.parse(value) - now() || 0
  return isWorthIt && asked <= 60_000 && Math.max(random() * Math.min(8_000, 500 * 2 ** retries), asked)
}
