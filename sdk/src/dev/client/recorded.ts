import { DevAssertionError } from './assertion-error.ts'
import type { DevDifference } from './generated/types.gen.ts'

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

/** How many requests there must be. */
interface Expectation extends SilenceOptions {
  /** At least one without it. */
  readonly times?: number
}

interface Numbered {
  readonly number: number
  readonly status?: number | undefined
}

/** Requests that match a pattern, or the one that differs least. */
interface Matched<R> {
  readonly data: readonly R[]
  readonly nearest?: { readonly request: R; readonly differences: readonly DevDifference[] } | undefined
  readonly recorded: number
  readonly complete: boolean
}

/** Where recorded requests come from, and how they are named. */
export interface RecordedSource<R, Pattern, Filter> {
  list(filter: Filter): Promise<readonly R[]>
  next(filter: Filter & { readonly timeout?: number }): Promise<R | undefined>
  match(pattern: Pattern): Promise<Matched<R>>
  clear(): Promise<unknown>
  /** Names the requests that a pattern is about, without what it has of the caller's. */
  nameOf(pattern: Pattern): string
  /** Names a request, without its status. */
  lineOf(request: R): string
  /** What such a request did: `came`. */
  readonly verb: string
  /** A question that may help those who have seen no request at all. */
  readonly hint: string
}

/** Requests that a development server has recorded of one tenant, and assertions about them. */
export class RecordedRequests<
  R extends Numbered,
  Pattern extends { readonly since?: number | undefined },
  Filter,
> {
  readonly #source: RecordedSource<R, Pattern, Filter>

  /** @internal */
  constructor(source: RecordedSource<R, Pattern, Filter>) {
    this.#source = source
  }

  /** Returns the last requests that match, oldest first. */
  async list(filter?: Filter): Promise<readonly R[]> {
    return this.#source.list({ ...filter } as Filter)
  }

  /**
   * Returns the oldest request that matches and that `next` has not returned yet. Waits for one if there is none, and
   * throws after `timeout` milliseconds (5000).
   */
  async next(filter?: Filter & { readonly timeout?: number }): Promise<R> {
    const found = await this.#source.next({ ...filter } as Filter & { readonly timeout?: number })
    if (found) return found
    const seen = (await this.list()).map(
      request => `${this.#source.lineOf(request)} ${request.status ?? 'no response'}`,
    )
    throw new Error(
      `no request matches ${JSON.stringify(filter ?? {})}; there were ${seen.slice(-20).join(', ') || 'none'}`,
    )
  }

  /** Returns the requests that match a pattern, or the one that differs least, and in what. */
  async match(pattern: Pattern): Promise<Matched<R>> {
    return this.#source.match(pattern)
  }

  /**
   * Throws a `DevAssertionError` if no request matches, or not `times` of them: with the request that differs least, and
   * without data of either. Compares values of bodies, which a text such as `string(16)` does not.
   */
  async assert(expected: Pattern & Expectation): Promise<void> {
    const { times, allowSilence, pattern } = split(expected)
    const matched = await this.match(pattern)
    const count = matched.data.length
    if (times === undefined ? count > 0 : count === times) {
      if (times !== undefined) this.#refuseUnseen(matched, pattern, times > 0 || allowSilence)
      return
    }
    throw new DevAssertionError(
      `expected ${times ?? 'a'} request${(times ?? 1) === 1 ? '' : 's'} to ${this.#source.nameOf(pattern)}, received ${count}`,
      this.#failureText(matched),
      { actual: count, expected: times ?? 'at least 1' },
    )
  }

  /**
   * Throws a `DevAssertionError` if a request matches, or if none could have been seen: no request of the tenant has ever come,
   * or the first ones are no longer kept.
   */
  async assertNone(pattern?: Pattern & SilenceOptions): Promise<void> {
    await this.assert({ ...pattern, times: 0 } as Pattern & Expectation)
  }

  /** Throws a `DevAssertionError` if a request that matches could not have been seen. @internal */
  async assertSeen(expected: Pattern & Expectation): Promise<void> {
    const { allowSilence, pattern } = split(expected)
    this.#refuseUnseen(await this.match(pattern), pattern, allowSilence)
  }

  /** Throws a `DevAssertionError` unless requests match the patterns in this order. There may be others between them. */
  async assertOrder(patterns: readonly Pattern[]): Promise<void> {
    if (patterns.length === 0) throw new TypeError('assertOrder takes one pattern or more')
    let since = 0
    for (const [at, pattern] of patterns.entries()) {
      const matched = await this.match({ ...pattern, since: Math.max(since, pattern.since ?? 0) })
      const [first] = matched.data
      if (!first) {
        const which = `request ${at + 1} of ${patterns.length}, to ${this.#source.nameOf(pattern)}`
        const { data } = await this.match(pattern)
        throw new DevAssertionError(
          at === 0 ? `${which}, did not come` : `${which}, did not come after request number ${since}`,
          this.#failureText(data.length > 0 ? { data } : matched),
          { actual: at, expected: patterns.length },
        )
      }
      since = first.number
    }
  }

  /** Forgets the requests that came so far. */
  async clear(): Promise<void> {
    await this.#source.clear()
  }

  /** @throws {DevAssertionError} */
  #refuseUnseen({ recorded, complete }: Matched<R>, pattern: Pattern, isSilenceAllowed = false): void {
    const counts = { actual: recorded, expected: 'at least 1' }
    const { nameOf, verb, hint } = this.#source
    if (!complete)
      throw new DevAssertionError(
        `requests to ${nameOf(pattern)} may be missing`,
        ', as the first ones are no longer kept: assert earlier, or give `since`, the number of a later request',
        counts,
      )
    if (recorded === 0 && !isSilenceAllowed)
      throw new DevAssertionError(
        `no request of this tenant has ever ${verb}, so that none to ${nameOf(pattern)} could be seen`,
        `: ${hint} ({ allowSilence: true } if it may send none)`,
        counts,
      )
  }

  /** Shows the requests that match, or the nearest one and what differs. */
  #failureText({ data, nearest }: Pick<Matched<R>, 'data' | 'nearest'>): string {
    if (data.length > 0) {
      const lines = data.slice(0, mostLines).map(request => this.#line(request))
      const more = data.length > mostLines ? [`  … and ${data.length - mostLines} more`] : []
      return `; these match:\n${[...lines, ...more].join('\n')}`
    }
    if (!nearest) return '; there was no request'
    const differences = nearest.differences.map(
      ({ member, expected, received }) =>
        `    ${member}\n      - expected: ${expected}\n      + received: ${received}`,
    )
    return `; the nearest one:\n${[this.#line(nearest.request), ...differences].join('\n')}`
  }

  #line(request: R): string {
    return `  ${request.number}: ${this.#source.lineOf(request)} ${request.status ?? 'no response'}`
  }
}

const mostLines = 20

/** Separates what has to match from how often. */
function split<P extends Expectation>({ times, allowSilence, ...pattern }: P) {
  return { times, allowSilence, pattern: pattern as unknown as P }
}

/** Names what a pattern demands beside a name. */
export function nameWith(name: string, demanded: Readonly<Record<string, unknown>>): string {
  const more = Object.keys(demanded).filter(text => demanded[text] !== undefined)
  return more.length === 0 ? name : `${name} with ${more.join(', ')}`
}
