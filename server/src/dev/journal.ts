import type { Immutable } from '../contract/types.ts'
import type { DevRecordedRequest } from '../generated/dev-client/index.ts'
import type { DevHandlersOf, DevRequest } from './handlers.ts'
import { TenantLogs } from './tenant-logs.ts'

/** As the contract says. */
const mostRequests = 1000
const mostBytes = 1_000_000
const defaultTimeoutMs = 5000

type Recorded = Immutable<DevRecordedRequest>

/** The last requests of each tenant, without what callers put into them. */
export class Journal {
  readonly #logs = new TenantLogs<Recorded>(mostRequests, mostBytes)
  readonly #published: (tenant: string, request: Recorded) => void
  #count = 0

  /** @param published is called with each request */
  constructor(published: (tenant: string, request: Recorded) => void) {
    this.#published = published
  }

  add(tenant: string, request: Omit<Recorded, 'number'>): void {
    const recorded = { number: ++this.#count, ...request }
    // Two bytes for each character, and as much again for what holds them.
    this.#logs.of(tenant).add(recorded, JSON.stringify(recorded).length)
    this.#published(tenant, recorded)
  }

  handlers(): DevHandlersOf<'requests'> {
    return {
      'dev.requests.list': async ({ tenant, query }) => ({
        status: 200,
        body: { data: this.#logs.of(tenant).list(filterOf(query)) },
      }),
      'dev.requests.next': async ({ tenant, query }) => {
        const { timeout = defaultTimeoutMs } = query
        const body = await this.#logs.of(tenant).next(filterOf(query), timeout)
        return body ? { status: 200, body } : { status: 204 }
      },
    }
  }

  clear(): void {
    this.#logs.clear()
  }
}

function filterOf({ operation, status, since = 0 }: DevRequest<'dev.requests.list'>['query']) {
  return (request: Recorded) =>
    request.number > since &&
    (operation === undefined || request.operation === operation) &&
    (status === undefined || request.status === status)
}
