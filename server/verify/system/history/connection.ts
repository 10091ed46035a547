import type { JsonObject } from '../../../src/base/json/json.ts'
import { callOver } from '../../support/started-replicas.ts'

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
    const more = idempotencyKey === undefined ? {} : { 'SVC-IDEMPOTENCY-KEY': idempotencyKey }
    try {
      const reply = await callOver(choose(servers.urls()), key, method, path, body, more)
      return reply.status === 503 ? 'lost' : reply
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
