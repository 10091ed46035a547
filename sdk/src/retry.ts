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

/** Limits of one call, and what happens between its attempts. */
interface Retries {
  readonly maxRetries: number
  readonly signal: AbortSignal | undefined
  readonly waits: Waits
  /** Gets the name of the error, the number of failed attempts before it, and the milliseconds until the next one. */
  onRetry(reason: string, retries: number, waitMs: number): void
}

/**
 * Runs `attempt` until it succeeds, fails permanently, or has been retried `maxRetries` times. Its arguments are the
 * number of failed attempts before it, and true if one of them may have succeeded although its response was lost.
 */
export async function withRetries<T>(
  attempt: (retries: number, maybeDone: boolean) => Promise<T>,
  { maxRetries, signal, waits, onRetry }: Retries,
): Promise<T> {
  let maybeDone = false
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted()
    try {
      return await attempt(retries, maybeDone)
    } catch (error) {
      if (signal?.aborted || retries >= maxRetries || !worthRetrying(error, maybeDone)) throw error
      const wait = waitBefore(error, retries, waits)
      if (wait === undefined) throw error
      maybeDone ||= error instanceof ConnectionError || (error instanceof APIError && error.status >= 500)
      onRetry((error as Error).name, retries, wait)
      await waits.sleep(wait, signal)
    }
  }
}

function worthRetrying(error: unknown, maybeDone: boolean): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof APIError)) return false
  const { status, problem } = error
  // The earlier attempt, whose response was lost, is still running under this idempotency key.
  if (maybeDone && problem?.type === 'urn:surrogate:error:idempotency_conflict') return true
  // The formula failed. A retry could repeat its side effects, such as charging a card.
  if (problem?.type === 'urn:surrogate:error:reactor_runtime') return false
  return status === 408 || status === 429 || (status >= 500 && status !== 501)
}

/** Exponential backoff with full jitter, at least as long as `Retry-After`; undefined if that is too long. */
function waitBefore(error: unknown, retries: number, { random, now }: Waits): number | undefined {
  const backoff = random() * Math.min(longestWait, firstWait * 2 ** retries)
  const asked = error instanceof APIError ? retryAfter(error.headers, now()) : 0
  return asked > longestRetryAfter ? undefined : Math.max(backoff, asked)
}

/** Milliseconds until the time in `Retry-After`, a number of seconds or a date (RFC 9110, 10.2.3); otherwise 0. */
function retryAfter(headers: Headers, now: number): number {
  const value = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Math.max(ms || 0, 0)
}
