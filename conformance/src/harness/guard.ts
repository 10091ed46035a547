import { setTimeout as wait } from 'node:timers/promises'
import type { Fetch } from './target.ts'
import { Late, within } from './within.ts'

/** Largest response body that is read, in bytes. A server under test can send endless bodies. */
export const largestBody = 8 * 1024 * 1024

/** Longest time that the suite waits for a rate limit, for one request. */
const longestWaitMs = 120_000

/** A response body was larger than `largestBody`. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

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
 * waited for. The returned response has its whole body in memory.
 */
export function guarded(fetch: Fetch, { timeoutMs, signal }: Limits): Fetch {
  return async request => {
    const { method, headers, url } = request
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
    for (let waited = 0; ; ) {
      const response = await attempt(
        fetch,
        // Made once for each attempt: a copy of a request takes long, with a signal of its own.
        exchange => new Request(url, { method, headers, body, redirect: 'manual', signal: exchange }),
      )
      const pause = response.status === 429 ? pauseOf(response.headers.get('retry-after')) : undefined
      if (pause === undefined || waited + pause > longestWaitMs) return response
      waited += pause
      await wait(pause, undefined, signal && { signal }).catch(() => {
        throw new Interrupted()
      })
    }
  }

  async function attempt(send: Fetch, requestWith: (exchange: AbortSignal) => Request): Promise<Response> {
    if (signal?.aborted) throw new Interrupted()
    // A signal for each exchange: a server in the same process may ignore it, so its work is raced as well.
    const exchange = new AbortController()
    let stop = () => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new Interrupted())
    })
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const received = (async () => {
        const response = await send(requestWith(exchange.signal))
        const bytes = await readBody(response)
        const bodiless = [101, 204, 205, 304].includes(response.status)
        return new Response(bodiless ? null : bytes, { status: response.status, headers: response.headers })
      })()
      return await Promise.race([within(timeoutMs, received), stopped])
    } catch (error) {
      // Also stops a body that is still arriving.
      exchange.abort()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}

/** @throws {TooLarge} if there is more than `largestBody` */
async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the stream.
    if (size > largestBody) throw new TooLarge()
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
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
