import type { Immutable } from '../../contract/types.ts'
import type { DevOutgoingPattern, DevOutgoingRequest } from '../../generated/dev-client/index.ts'
import type { DevHandlersOf, DevRequest } from '../handlers.ts'
import { statusDemand } from '../journal.ts'
import { type Demand, RecordedRequests } from '../recorded.ts'
import { redact } from '../redact.ts'
import type { Leaving } from './answers.ts'
import { shownUrl, UrlPattern } from './url-pattern.ts'

type Outgoing = Immutable<DevOutgoingRequest>

/** The last requests of each tenant that have left the server, or would have. */
export class OutgoingLog {
  readonly #requests = new RecordedRequests<Outgoing>()
  /** As they were sent: patterns with stars cannot be compared with digests. */
  readonly #urls = new WeakMap<Outgoing, URL>()

  add(
    tenant: string,
    { on, method, url, body }: Leaving,
    more: Omit<Outgoing, 'number' | keyof Leaving>,
  ): void {
    const shown = body === undefined ? {} : { body: redact(body) }
    const request = { ...more, on, method, url: shownUrl(url.href), ...shown }
    this.#urls.set(this.#requests.add(tenant, request, body, url.href.length), url)
  }

  handlers(): DevHandlersOf<'egressRequests'> {
    const requests = this.#requests
    return {
      'dev.egressRequests.list': async ({ tenant, query }) => ({
        status: 200,
        body: { data: requests.list(tenant, filterOf(query)) },
      }),
      'dev.egressRequests.next': async ({ tenant, query, onDisconnect }) => {
        const body = await requests.next(tenant, filterOf(query), query.timeout, onDisconnect)
        return body ? { status: 200, body } : { status: 204 }
      },
      'dev.egressRequests.match': async ({ tenant, body }) => ({
        status: 200,
        body: requests.match(tenant, body, this.#demands(body)),
      }),
      'dev.egressRequests.clear': async ({ tenant }) => {
        requests.clear(tenant)
        return { status: 204 }
      },
    }
  }

  clear(): void {
    this.#requests.clearAll()
  }

  #demands({ on, method, url, status }: Immutable<DevOutgoingPattern>): Demand<Outgoing>[] {
    const demands: Demand<Outgoing>[] = []
    if (on !== undefined) demands.push(sameDemand('on', on, 100))
    if (method !== undefined) demands.push(sameDemand('method', method, 10))
    if (url !== undefined) {
      const pattern = new UrlPattern(url)
      demands.push({
        member: 'url',
        isMet: request => pattern.matches(this.#urls.get(request) as URL),
        expected: shownUrl(url),
        received: request => request.url,
        weight: 20,
      })
    }
    if (status !== undefined) demands.push(statusDemand(status))
    return demands
  }
}

function sameDemand(member: 'on' | 'method', expected: string, weight: number): Demand<Outgoing> {
  const received = (request: Outgoing) => request[member]
  return { member, isMet: request => request[member] === expected, expected, received, weight }
}

function filterOf({ on, status, since = 0 }: DevRequest<'dev.egressRequests.list'>['query']) {
  return (request: Outgoing) =>
    request.number > since &&
    (on === undefined || request.on === on) &&
    (status === undefined || request.status === status)
}
