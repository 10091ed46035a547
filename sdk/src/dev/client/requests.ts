import { DevAssertionError, failureText, nameOf } from './assertion-error.ts'
import {
  devRequestsClear,
  devRequestsList,
  devRequestsMatch,
  devRequestsNext,
} from './generated/operations.gen.ts'
import type { DevMatchedRequests, DevRecordedRequest, DevRequestPattern } from './generated/types.gen.ts'
import type { OperationName } from './operation-name.ts'
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
  readonly operation?: OperationName
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
export type ExpectedRequest = RequestPattern & { readonly times?: number } & SilenceOptions

/**
 * What a request must have to match.
 *
 * @example
 * ```ts
 * const pattern: RequestPattern = { operation: 'tokens.create', body: { type: 'card' } }
 * ```
 */
export type RequestPattern = Omit<DevRequestPattern, 'operation'> & {
  readonly operation?: OperationName | undefined
}

/**
 * Options of an assertion that no request came.
 *
 * @example
 * ```ts
 * const options: SilenceOptions = { allowSilence: true }
 * ```
 */
export interface SilenceOptions {
  /** Passes also if no request of the tenant has ever come: otherwise that is an error, since none could have been seen. */
  readonly allowSilence?: boolean
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

  /** Returns the requests that match a pattern, or the one that differs least, and in what. */
  async match(pattern: RequestPattern): Promise<DevMatchedRequests> {
    return this.#send(devRequestsMatch, { body: pattern })
  }

  /**
   * Throws a `DevAssertionError` if no request matches, or not `times` of them: with the request that differs least, and
   * without data of either. Compares values of bodies, which a text such as `string(16)` does not.
   */
  async assert({ times, allowSilence, ...pattern }: ExpectedRequest): Promise<void> {
    const matched = await this.match(pattern)
    const count = matched.data.length
    if (times === undefined ? count > 0 : count === times) {
      if (times !== undefined) refuseUnseen(matched, pattern, times > 0 || allowSilence)
      return
    }
    throw new DevAssertionError(
      `expected ${times ?? 'a'} request${(times ?? 1) === 1 ? '' : 's'} to ${nameOf(pattern)}, received ${count}`,
      failureText(matched),
      { actual: count, expected: times ?? 'at least 1' },
    )
  }

  /**
   * Throws a `DevAssertionError` if a request matches, or if none could have been seen: no request of the tenant has ever come,
   * or the first ones are no longer kept.
   */
  async assertNone(pattern: RequestPattern & SilenceOptions = {}): Promise<void> {
    await this.assert({ ...pattern, times: 0 })
  }

  /** Throws a `DevAssertionError` if a request that matches could not have been seen. @internal */
  async assertSeen({ times: _, allowSilence, ...pattern }: ExpectedRequest): Promise<void> {
    refuseUnseen(await this.match(pattern), pattern, allowSilence)
  }

  /** Throws a `DevAssertionError` unless requests match the patterns in this order. There may be others between them. */
  async assertOrder(patterns: readonly RequestPattern[]): Promise<void> {
    if (patterns.length === 0) throw new TypeError('assertOrder takes one pattern or more')
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

/** @throws {DevAssertionError} */
function refuseUnseen(
  { recorded, complete }: DevMatchedRequests,
  pattern: RequestPattern,
  isSilenceAllowed = false,
): void {
  const counts = { actual: recorded, expected: 'at least 1' }
  if (!complete)
    throw new DevAssertionError(
      `requests to ${nameOf(pattern)} may be missing`,
      ', as the first ones are no longer kept: assert earlier, or give `since`, the number of a later request',
      counts,
    )
  if (recorded === 0 && !isSilenceAllowed)
    throw new DevAssertionError(
      `no request of this tenant has ever come, so that none to ${nameOf(pattern)} could be seen`,
      ': does the application use a key of this tenant? ({ allowSilence: true } if it may send none)',
      counts,
    )
}
