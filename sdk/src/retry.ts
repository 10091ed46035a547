import { APIError, ConnectionError } from './errors.ts'

/** Time and randomness for retries; tests replace them. */
export interface Waits {
  /** Resolves after `ms` milliseconds, or earlier when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 to below 1. */
  random(): number
  /** Milliseconds since 1970. */
  now(): number
}

export const realWaits: Waits = {
  sleep: (ms, signal) =>
    new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done)
    }),
  random: () => Math.random(),
  now: () => Date.now(),
}

/** Maximum wait before the first retry, doubled for each further one. */
const firstWait = 500
const longestWait = 8_000
/** There is no retry if the server asks for a longer wait than this. */
const longestRetryAfter = 60_000

/**
 * Returns the milliseconds to wait before another attempt: exponential backoff with full jitter, at least as long as
 * `Retry-After`. Undefined if another attempt would fail too, or would have to wait too long.
 */
export function waitBefore(
  error: unknown,
  retries: number,
  maybeDone: boolean,
  { random, now }: Waits,
): number | undefined {
  let asked = 0
  if (error instanceof APIError) {
    const { status, problem, headers } = error
    const isWorthIt =
      // The earlier attempt, whose response was lost, is still running under this idempotency key.
      (maybeDone && problem?.type === 'urn:surrogate:error:idempotency_conflict') ||
      status === 408 ||
      status === 429 ||
      // A retry of a formula that failed could repeat its side effects, such as charging a card.
      (status >= 500 && status !== 501 && problem?.type !== 'urn:surrogate:error:reactor_runtime')
    asked = isWorthIt ? retryAfter(headers, now()) : Number.POSITIVE_INFINITY
  } else if (!(error instanceof ConnectionError)) return undefined
  if (asked > longestRetryAfter) return undefined
  return Math.max(random() * Math.min(longestWait, firstWait * 2 ** retries), asked)
}

/** True if the server may have done what was asked although the attempt failed. */
export const isMaybeDone = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof APIError && error.status >= 500)

/** Milliseconds until the time in `Retry-After`, a number of seconds or a date (RFC 9110, 10.2.3); otherwise 0. */
function retryAfter(headers: Headers, now: number): number {
  const value = headers.get('retry-after') ?? ''
  return Math.max((/^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now) || 0, 0)
}
