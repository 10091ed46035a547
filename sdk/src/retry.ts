import { APIError, ConnectionError } from './errors.ts'

/** Time and chance, as far as retries need them; tests bring their own. */
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

/** The first retry waits at most this long, each further one at most twice as long as the one before. */
const firstWait = 500
const longestWait = 8_000
/** A server that asks for more than this gets no retry: sooner would be against its word, later too late for a call. */
const longestRetryAfter = 60_000

/**
 * Runs `attempt` until it succeeds, fails for good, or has failed `maxRetries` times more. `attempt` is told whether an
 * earlier one may have been carried out although its answer was lost.
 */
export async function withRetries<T>(
  attempt: (maybeDone: boolean) => Promise<T>,
  { maxRetries, signal, waits }: { maxRetries: number; signal: AbortSignal | undefined; waits: Waits },
): Promise<T> {
  let maybeDone = false
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted()
    try {
      return await attempt(maybeDone)
    } catch (error) {
      if (signal?.aborted || retries >= maxRetries || !worthRetrying(error, maybeDone)) throw error
      const wait = waitBefore(error, retries, waits)
      if (wait === undefined) throw error
      maybeDone ||= error instanceof ConnectionError || (error instanceof APIError && error.status >= 500)
      await waits.sleep(wait, signal)
    }
  }
}

function worthRetrying(error: unknown, maybeDone: boolean): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof APIError)) return false
  const { status, problem } = error
  // Our own earlier attempt, whose answer was lost, still holds the idempotency key: it will have the outcome soon.
  if (maybeDone && problem?.type === 'urn:surrogate:error:idempotency_conflict') return true
  // The formula itself failed. It would fail again, and what it did before, such as charging a card, be done again.
  if (problem?.type === 'urn:surrogate:error:reactor_runtime') return false
  return status === 408 || status === 429 || (status >= 500 && status !== 501)
}

/** Exponential with full jitter, but no less than the server asked for; undefined if it asked for too much. */
function waitBefore(error: unknown, retries: number, { random, now }: Waits): number | undefined {
  const backoff = random() * Math.min(longestWait, firstWait * 2 ** retries)
  const asked = error instanceof APIError ? retryAfter(error.headers, now()) : 0
  return asked > longestRetryAfter ? undefined : Math.max(backoff, asked)
}

/** RFC 9110, 10.2.3: a number of seconds, or a date. In milliseconds from now; 0 if absent or neither. */
function retryAfter(headers: Headers, now: number): number {
  const value = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Math.max(ms || 0, 0)
}
