import type { JsonObject } from '../../../src/base/json/json.ts'

/** A response, or none: then the request may have had its effect or not. */
export type Reply =
  // biome-ignore lint/suspicious/noExplicitAny: a client reads whatever members it expects
  { readonly status: number; readonly json: any } | 'lost'

/** Where clients send their requests. */
export interface Servers {
  /** Those that listen, as far as is known. */
  urls(): readonly string[]
  /** Resolves when there is one. */
  up(): Promise<void>
}

export interface Sending {
  readonly method: string
  readonly path: string
  readonly body?: JsonObject
  readonly idempotencyKey?: string
}

/** Longer than any answer takes on a busy machine while servers are paused. */
const patienceMs = 60_000

/**
 * Sends a request to one of the servers. Resolves with `lost` if the connection broke, or after a 503: a commit whose
 * connection to the database breaks may have happened. A server that does not accept a connection gets no request, so
 * another one does.
 */
export async function exchange(
  servers: Servers,
  key: string,
  { method, path, body, idempotencyKey }: Sending,
  choose: (urls: readonly string[]) => string,
): Promise<Reply> {
  for (;;) {
    await servers.up()
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    try {
      const response = await fetch(choose(servers.urls()) + path, {
        method,
        signal: AbortSignal.timeout(patienceMs),
        headers: {
          'SVC-API-KEY': key,
          ...(body && { 'Content-Type': type }),
          ...(idempotencyKey !== undefined && { 'SVC-IDEMPOTENCY-KEY': idempotencyKey }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status === 503) return 'lost'
      return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string }
      if (code === 'ECONNREFUSED') {
        // The server is going down; by the next turn the list of servers says so.
        await new Promise(resolve => setImmediate(resolve))
        continue
      }
      return 'lost'
    }
  }
}
