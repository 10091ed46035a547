import { devRequestsList, devRequestsNext, devRequestsReplay } from './generated/operations.gen.ts'
import type { DevRecordedRequest } from './generated/types.gen.ts'
import type { DevSend } from './send.ts'

/**
 * Selects recorded requests.
 *
 * @example
 * ```ts
 * const refused: RequestFilter = { operation: 'tokens.create', status: 400 }
 * ```
 */
export interface RequestFilter {
  readonly operation?: string
  readonly status?: number
  /** Only requests after the one with this `number`. */
  readonly since?: number
}

/**
 * The requests that the server received from one tenant.
 *
 * @example
 * ```ts
 * const requests: DevRequests = dev.requests
 * const { status } = await requests.next({ operation: 'tokens.create' })
 * ```
 */
export class DevRequests {
  readonly #send: DevSend

  /** @internal */
  constructor(send: DevSend) {
    this.#send = send
  }

  /** Returns the last requests that match, oldest first. */
  async list(filter: RequestFilter = {}): Promise<readonly DevRecordedRequest[]> {
    return (await this.#send(devRequestsList, { query: { ...filter } })).data
  }

  /**
   * Returns the oldest request that matches and that `next` has not returned yet. Waits for one if there is none, and
   * throws after `timeout` milliseconds (5000).
   */
  async next(filter: RequestFilter & { readonly timeout?: number } = {}): Promise<DevRecordedRequest> {
    const found = await this.#send(devRequestsNext, { query: { ...filter } })
    if (found) return found
    const seen = (await this.list()).map(({ operation, status = 'no response' }) => `${operation} ${status}`)
    throw new Error(
      `no request matches ${JSON.stringify(filter)}; there were ${seen.slice(-20).join(', ') || 'none'}`,
    )
  }

  /**
   * Makes a request again with the same key and body, as a client may that has lost the response, and returns what is
   * recorded of it.
   */
  async replay(number: number): Promise<DevRecordedRequest> {
    return await this.#send(devRequestsReplay, { path: { number: String(number) } })
  }
}
