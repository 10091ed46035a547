import { DevAssertionError, failureText, nameOf } from './assertion-error.ts'
import {
  devRequestsClear,
  devRequestsList,
  devRequestsMatch,
  devRequestsNext,
} from './generated/operations.gen.ts'
import type { DevMatchedRequests, DevRecordedRequest, DevRequestPattern } from './generated/types.gen.ts'
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
 * What a request must have, and how many such requests there must be: at least one without `times`.
 *
 * @example
 * ```ts
 * const once: ExpectedRequest = { operation: 'tokens.create', body: { type: 'card' }, times: 1 }
 * ```
 */
export type ExpectedRequest = DevRequestPattern & { readonly times?: number }

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

  /** Returns the requests that match a pattern, or the one that differs least, and in what. */
  async match(pattern: DevRequestPattern): Promise<DevMatchedRequests> {
    return this.#send(devRequestsMatch, { body: pattern })
  }

  /**
   * Throws a `DevAssertionError` if no request matches, or not `times` of them: with the request that differs least, and
   * without data of either. Compares values of bodies, which a text such as `string(16)` does not.
   */
  async assert({ times, ...pattern }: ExpectedRequest): Promise<void> {
    const matched = await this.match(pattern)
    const count = matched.data.length
    if (times === undefined ? count > 0 : count === times) return
    throw new DevAssertionError(
      `expected ${times ?? 'a'} request${(times ?? 1) === 1 ? '' : 's'} to ${nameOf(pattern)}, received ${count}`,
      failureText(matched),
      { actual: count, expected: times ?? 'at least 1' },
    )
  }

  /** Throws a `DevAssertionError` if a request matches. */
  async assertNone(pattern: DevRequestPattern = {}): Promise<void> {
    await this.assert({ ...pattern, times: 0 })
  }

  /** Throws a `DevAssertionError` unless requests match the patterns in this order. There may be others between them. */
  async assertOrder(patterns: readonly DevRequestPattern[]): Promise<void> {
    let since = 0
    for (const [at, pattern] of patterns.entries()) {
      const matched = await this.match({ ...pattern, since: Math.max(since, pattern.since ?? 0) })
      const [first] = matched.data
      if (!first) {
        const which = `request ${at + 1} of ${patterns.length}, to ${nameOf(pattern)}`
        const { data } = await this.match(pattern)
        throw new DevAssertionError(
          at === 0 ? `${which}, did not come` : `${which}, did not come after request number ${since}`,
          data.length > 0 ? failureText({ data }) : failureText(matched),
          { actual: at, expected: patterns.length },
        )
      }
      since = first.number
    }
  }

  /** Forgets the requests that came so far. */
  async clear(): Promise<void> {
    await this.#send(devRequestsClear)
  }
}
