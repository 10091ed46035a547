import type { JsonValue } from '../base/json/json.ts'
import type { Immutable } from '../contract/types.ts'
import type { DevRecordedRequest, DevRequestPattern } from '../generated/dev-client/index.ts'
import { checkOperation } from './faults.ts'
import type { DevHandlersOf, DevRequest } from './handlers.ts'
import { type Demand, RecordedRequests } from './recorded.ts'

type Recorded = Immutable<DevRecordedRequest>

/** An operation whose requests are recorded. Those of `/proxy` have no path of their own. */
export interface Matchable {
  readonly id: string
  readonly path?: string
}

/** What a request carried. */
interface Carried {
  readonly path: string
  readonly body: JsonValue | undefined
}

/** The last requests that each tenant has made. */
export class Journal {
  readonly #requests = new RecordedRequests<Recorded>()
  /** The digests of the paths as they were sent. */
  readonly #paths = new WeakMap<Recorded, string>()
  readonly #published: (tenant: string, request: Recorded) => void

  /** @param published is called with each request */
  constructor(published: (tenant: string, request: Recorded) => void) {
    this.#published = published
  }

  add(tenant: string, request: Omit<Recorded, 'number'>, { path, body }: Carried): void {
    const digest = this.#digestOf(path)
    const recorded = this.#requests.add(tenant, request, body, digest.length)
    this.#paths.set(recorded, digest)
    this.#published(tenant, recorded)
  }

  /** @param recorded all operations whose requests are recorded */
  handlers(recorded: readonly Matchable[]): DevHandlersOf<'requests'> {
    const operations = recorded.map(({ id }) => id)
    const requests = this.#requests
    return {
      'dev.requests.list': async ({ tenant, query }) => ({
        status: 200,
        body: { data: requests.list(tenant, filterOf(query, operations)) },
      }),
      'dev.requests.next': async ({ tenant, query, onDisconnect }) => {
        const body = await requests.next(tenant, filterOf(query, operations), query.timeout, onDisconnect)
        return body ? { status: 200, body } : { status: 204 }
      },
      'dev.requests.match': async ({ tenant, body }) => {
        checkOperation(body.operation, operations)
        return { status: 200, body: requests.match(tenant, body, this.#demands(body, recorded)) }
      },
      'dev.requests.clear': async ({ tenant }) => {
        requests.clear(tenant)
        return { status: 204 }
      },
    }
  }

  clear(): void {
    this.#requests.clearAll()
  }

  #demands(pattern: Immutable<DevRequestPattern>, recorded: readonly Matchable[]): Demand<Recorded>[] {
    const { operation, path, status } = pattern
    const demands: Demand<Recorded>[] = []
    if (operation !== undefined)
      demands.push({
        member: 'operation',
        isMet: request => request.operation === operation,
        expected: operation,
        received: request => request.operation,
        // A request to another operation is hardly ever the one that was meant.
        weight: 100,
      })
    if (path !== undefined) {
      // Those that have this path, if it has `{id}` in the place of an id.
      const those = new Set(recorded.filter(one => one.path === path).map(({ id }) => id))
      const digest = this.#digestOf(path)
      demands.push({
        member: 'path',
        isMet: request => those.has(request.operation) || this.#paths.get(request) === digest,
        expected: shownPath(path, recorded),
        received: request => request.path,
        weight: 10,
      })
    }
    if (status !== undefined) demands.push(statusDemand(status))
    return demands
  }

  #digestOf(path: string): string {
    return this.#requests.bodies.digest(path.length > 1 ? path.replace(/\/$/, '') : path)
  }
}

/** Demands a status, of any kind of recorded request. */
export function statusDemand(status: number): Demand<{ readonly status?: number | undefined }> {
  return {
    member: 'status',
    isMet: request => request.status === status,
    expected: String(status),
    received: request => String(request.status ?? 'no response'),
    weight: 3,
  }
}

/** @throws {ServiceError} validation, as a test that expects no such request would pass in vain */
function filterOf(
  { operation, status, since = 0 }: DevRequest<'dev.requests.list'>['query'],
  operations: readonly string[],
) {
  checkOperation(operation, operations)
  return (request: Recorded) =>
    request.number > since &&
    (operation === undefined || request.operation === operation) &&
    (status === undefined || request.status === status)
}

/** Anything can be put into a path: only what the contract has is shown. */
function shownPath(path: string, operations: readonly Matchable[]): string {
  const segments = new Set(operations.flatMap(one => one.path?.split('/') ?? []))
  const shown = (segment: string) => (segments.has(segment) ? segment : `string(${segment.length})`)
  return path.split('/').map(shown).join('/')
}
