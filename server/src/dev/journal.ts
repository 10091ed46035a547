import type { Immutable } from '../contract/types.ts'
import type { DevRecordedRequest } from '../generated/dev-client/index.ts'
import { TenantLogs } from './bounded-log.ts'
import { checkOperation } from './check-fault.ts'
import type { DevHandlersOf, DevRequest } from './handlers.ts'
import { type Carried, type Matchable, Matching } from './matching.ts'

/** As the contract says. */
const mostRequests = 1000
const mostBytes = 1_000_000
const mostSent = 100
const mostSentBytes = 1_000_000
const longestBody = 100_000
const defaultTimeoutMs = 5000

type Recorded = Immutable<DevRecordedRequest>

/** A request as its caller sent it. It is kept in memory to be made again, and never shown. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** The last requests of each tenant, without what callers put into them. */
export class Journal {
  readonly #logs = new TenantLogs<Recorded>(mostRequests, mostBytes)
  readonly #sent = new TenantLogs<{ readonly number: number; readonly sent: SentRequest }>(
    mostSent,
    mostSentBytes,
  )
  readonly #matching = new Matching()
  readonly #published: (tenant: string, request: Recorded) => void
  #count = 0

  /** @param published is called with each request */
  constructor(published: (tenant: string, request: Recorded) => void) {
    this.#published = published
  }

  /** @param sent absent if the request cannot be made again */
  add(tenant: string, request: Omit<Recorded, 'number'>, carried: Carried, sent?: SentRequest): void {
    const recorded = { number: ++this.#count, ...request }
    // Two bytes for each character, and as much again for what holds them.
    const length = JSON.stringify(recorded).length + this.#matching.note(recorded, carried)
    this.#logs.of(tenant).add(recorded, length)
    this.#published(tenant, recorded)
    if (!sent || sent.body.length > longestBody) return
    const { body, ...rest } = sent
    this.#sent.of(tenant).add({ number: recorded.number, sent }, body.length + JSON.stringify(rest).length)
  }

  /** Returns a request as it was sent, if it is still kept. */
  sent(tenant: string, wanted: number): SentRequest | undefined {
    return this.#sent.of(tenant).list(({ number }) => number === wanted)[0]?.sent
  }

  /** Returns the last request with this trace id. */
  withTrace(tenant: string, traceId: string): Recorded | undefined {
    return this.#logs
      .of(tenant)
      .list(({ trace_id }) => trace_id === traceId)
      .at(-1)
  }

  /** @param recorded all operations whose requests are recorded */
  handlers(recorded: readonly Matchable[]): Omit<DevHandlersOf<'requests'>, 'dev.requests.replay'> {
    const operations = recorded.map(({ id }) => id)
    return {
      'dev.requests.list': async ({ tenant, query }) => ({
        status: 200,
        body: { data: this.#logs.of(tenant).list(filterOf(query, operations)) },
      }),
      'dev.requests.next': async ({ tenant, query, onGone }) => {
        const { timeout = defaultTimeoutMs } = query
        const body = await this.#logs.of(tenant).next(filterOf(query, operations), timeout, onGone)
        return body ? { status: 200, body } : { status: 204 }
      },
      'dev.requests.match': async ({ tenant, body }) => ({
        status: 200,
        body: this.#matching.match(
          this.#logs.of(tenant).list(({ number }) => number > (body.since ?? 0)),
          body,
          recorded,
        ),
      }),
      'dev.requests.clear': async ({ tenant }) => {
        this.#logs.drop(tenant)
        this.#sent.drop(tenant)
        return { status: 204 }
      },
    }
  }

  clear(): void {
    this.#logs.clear()
    this.#sent.clear()
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
