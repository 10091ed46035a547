import { setTimeout as wait } from 'node:timers/promises'
import { type HttpRequest, type HttpResponse, largestBody, TooLarge, type Transport } from './transport.ts'
import { Late, within } from './within.ts'

/** Longest time that the suite waits for a rate limit, for one request. */
const longestWaitMs = 120_000

/** The run was interrupted, or it exceeded its time limit. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

interface Limits {
  /** Time limit of one response with its body. */
  readonly timeoutMs: number
  /** Aborts all requests of the run. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes requests to a server that is not trusted safe: each has a deadline and is then aborted, the body is limited,
 * redirects are not followed, so that no key leaves for another origin, and a rate limit (429 with `Retry-After`) is
 * waited for.
 */
export function guarded(send: Transport, { timeoutMs, signal }: Limits): Transport {
  return async request => {
    for (let waited = 0; ; ) {
      const response = await attempt(request)
      const pause = response.status === 429 ? pauseOf(response.headers.get('retry-after')) : undefined
      if (pause === undefined || waited + pause > longestWaitMs) return response
      waited += pause
      await wait(pause, undefined, signal && { signal }).catch(() => {
        throw new Interrupted()
      })
    }
  }

  async function attempt(request: HttpRequest): Promise<HttpResponse> {
    if (signal?.aborted) throw new Interrupted()
    // A signal for each exchange: a server in the same process may ignore it, so its work is raced as well.
    const exchange = new AbortController()
    let stop = () => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new Interrupted())
    })
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await within(timeoutMs, Promise.race([send(request, exchange.signal), stopped]))
    } catch (error) {
      // Also stops a body that is still arriving.
      exchange.abort()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}

/** Returns the milliseconds that `Retry-After` asks for: a number of seconds, or a date. */
function pauseOf(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
}

/** Describes why there was no response. */
export function reasonOf(error: unknown): string {
  if (error instanceof Late) return 'no response in time'
  if (error instanceof TooLarge) return `a response body of more than ${largestBody / 1024 / 1024} MB`
  return 'no response'
}
