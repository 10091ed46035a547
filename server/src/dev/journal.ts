import type { Immutable } from '../contract/types.ts'
import type { DevRecordedRequest } from '../generated/dev-client/index.ts'
import { TenantLogs } from './bounded-log.ts'
import { checkOperation } from './faults.ts'
import type { DevHandlersOf, DevRequest } from './handlers.ts'
import { type Carried, type Matchable, Matching } from './matching.ts'

/** As the contract says. */
const mostRequests = 1000
const mostBytes = 1_000_000
const defaultTimeoutMs = 5000

type Recorded = Immutable<DevRecordedRequest>

/** The last requests of each tenant, without what callers put into them. */
export class Journal {
  readonly #logs = new TenantLogs<Recorded>(mostRequests, mostBytes)
  readonly #matching = new Matching()
  readonly #published: (tenant: string, request: Recorded) => void
  #count = 0

  /** @param published is called with each request */
  constructor(published: (tenant: string, request: Recorded) => void) {
    this.#published = published
  }

  add(tenant: string, request: Omit<Recorded, 'number'>, carried: Carried): void {
    const recorded = { number: ++this.#count, ...request }
    // Two bytes for each character, and as much again for what holds them.
    const length = JSON.stringify(recorded).length + this.#matching.note(recorded, carried)
    this.#logs.of(tenant).add(recorded, length)
    this.#published(tenant, recorded)
  }

  /** @param recorded all operations whose requests are recorded */
  handlers(recorded: readonly Matchable[]): DevHandlersOf<'requests'> {
    const operations = recorded.map(({ id }) => id)
    return {
      'dev.requests.list': async ({ tenant, query }) => ({
        status: 200,
        body: { data: this.#logs.of(tenant).list(filterOf(query, operations)) },
      }),
      'dev.requests.next': async ({ tenant, query, onDisconnect }) => {
        const { timeout = defaultTimeoutMs } = query
        const body = await this.#logs.of(tenant).next(filterOf(query, operations), timeout, onDisconnect)
        return body ? { status: 200, body } : { status: 204 }
      },
      'dev.requests.match': async ({ tenant, body }) => {
        const { since = 0 } = body
        const log = this.#logs.of(tenant)
        const matched = this.#matching.match(
          log.list(({ number }) => number > since),
          body,
          recorded,
        )
        const complete = (log.lastDropped?.number ?? 0) <= since
        return { status: 200, body: { ...matched, recorded: log.added, complete } }
      },
      'dev.requests.clear': async ({ tenant }) => {
        this.#logs.empty(tenant)
        return { status: 204 }
      },
    }
  }

  clear(): void {
    this.#logs.clear()
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
