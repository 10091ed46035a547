import type { JsonValue } from '../base/json/json.ts'
import type { Immutable } from '../contract/types.ts'
import type { DevDifference } from '../generated/dev-client/index.ts'
import { TenantLogs } from './bounded-log.ts'
import { compareBodies, MarkedBodies } from './marked-bodies.ts'

/** As the contract says. */
const mostRequests = 1000
const mostBytes = 1_000_000
const defaultTimeoutMs = 5000

/** What a pattern demands of a request, beside its body. */
export interface Demand<R> {
  readonly member: string
  isMet(request: R): boolean
  /** As it is shown, without what callers send. */
  readonly expected: string
  received(request: R): string
  /** How much it counts if it is not met; a member of the body counts 1. */
  readonly weight: number
}

interface Pattern {
  readonly since?: number | undefined
  readonly body?: unknown
}

interface Numbered {
  readonly number: number
}

interface Matched<R> {
  readonly data: R[]
  readonly nearest?: { readonly request: R; readonly differences: DevDifference[] }
  readonly recorded: number
  readonly complete: boolean
}

/**
 * The last requests of each tenant, without what callers put into them. They are found by what they carried all the same: of
 * each body the shapes of the values and their keyed digests are kept, and compared with those of a pattern.
 */
export class RecordedRequests<R extends Numbered> {
  readonly bodies = new MarkedBodies()
  readonly #logs = new TenantLogs<R>(mostRequests, mostBytes)
  readonly #marked = new WeakMap<R, JsonValue>()
  #count = 0

  /** @param noted characters that are kept beside the request */
  add(tenant: string, request: Omit<R, 'number'>, body: JsonValue | undefined, noted: number): R {
    const recorded = { ...request, number: ++this.#count } as R
    const marked = body === undefined ? undefined : this.bodies.of(body)
    if (marked !== undefined) this.#marked.set(recorded, marked)
    // Two bytes for each character, and as much again for what holds them.
    const length = JSON.stringify(recorded).length + (JSON.stringify(marked)?.length ?? 0) + noted
    this.#logs.of(tenant).add(recorded, length)
    return recorded
  }

  list(tenant: string, matches: (request: R) => boolean): R[] {
    return this.#logs.of(tenant).list(matches)
  }

  next(
    tenant: string,
    matches: (request: R) => boolean,
    timeoutMs = defaultTimeoutMs,
    onDisconnect?: (listener: () => void) => void,
  ): Promise<R | undefined> {
    return this.#logs.of(tenant).next(matches, timeoutMs, onDisconnect)
  }

  /**
   * Returns the requests that match, or the one that differs least, the latest of several.
   * @throws {ServiceError} validation
   */
  match(tenant: string, { since = 0, body }: Pattern, demands: readonly Demand<R>[]): Matched<R> {
    const log = this.#logs.of(tenant)
    const expected = body === undefined ? undefined : this.bodies.ofPattern(body as Immutable<JsonValue>)
    const data: R[] = []
    let nearest: (NonNullable<Matched<R>['nearest']> & { readonly weight: number }) | undefined
    for (const request of log.list(({ number }) => number > since)) {
      const unmet = demands.filter(demand => !demand.isMet(request))
      const differences = unmet.map(({ member, expected, received }) => {
        return { member, expected, received: received(request) }
      })
      if (expected !== undefined) compareBodies(expected, this.#marked.get(request), 'body', differences)
      if (differences.length === 0) data.push(request)
      const weight = unmet.reduce((sum, one) => sum + one.weight - 1, differences.length)
      if (!nearest || weight <= nearest.weight) nearest = { request, differences, weight }
    }
    const counts = { recorded: log.added, complete: (log.lastDropped?.number ?? 0) <= since }
    if (data.length > 0 || !nearest) return { data, ...counts }
    const { request, differences } = nearest
    return { data, nearest: { request, differences }, ...counts }
  }

  clear(tenant: string): void {
    this.#logs.empty(tenant)
  }

  clearAll(): void {
    this.#logs.clear()
  }
}
