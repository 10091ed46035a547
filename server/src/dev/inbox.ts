import { ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { Immutable } from '../contract/types.ts'
import { sameDigest } from '../crypto/digest.ts'
import type { Sent } from '../egress/network.ts'
import type { DevWebhook } from '../generated/dev-client/index.ts'
import { signedHeaders } from '../webhooks/sign.ts'
import { TenantLogs } from './bounded-log.ts'
import type { DevHandlersOf } from './handlers.ts'

/** The origin of callback URLs that lead to the inbox. No such host can exist (RFC 2606). */
export const inboxOrigin = 'https://inbox.surrogate.invalid'

/** As the contract says. */
const mostWebhooks = 1000
const mostBytes = 10_000_000
const defaultTimeoutMs = 5000

type Webhook = Omit<Immutable<DevWebhook>, 'attempts' | 'headers'>
type Attempt = DevWebhook['attempts'][number]

interface Received {
  readonly tenant: string
  readonly bytes: Uint8Array
  readonly shown: Webhook & { attempts: Attempt[]; headers: Record<string, string> }
}

interface Parts {
  nowMs(): number
  /** The time that signatures have, in epoch milliseconds. */
  machineMs(): number
  secretOf(tenant: string): Promise<string>
  /** Delivers a webhook once more, as an attempt is delivered. */
  deliver(sent: Sent): Promise<unknown>
  /** Orders the status of the next replies. @throws {ServiceError} validation */
  order(tenant: string, status: number, times: number): void
  /** Is called at each attempt. */
  published(tenant: string, webhook: Immutable<DevWebhook>): void
}

/** Receives the webhooks whose callback URL is that of the inbox, each for its own tenant. */
export class Inbox {
  readonly #parts: Parts
  readonly #logs = new TenantLogs<Received>(mostWebhooks, mostBytes)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Receives an attempt, and returns the status of the reply; `undefined` if there is none.
   * @param reply `none` if the connection is closed
   */
  async receive(
    { url, headers, body = new Uint8Array(), by }: Sent,
    reply: number | 'none',
  ): Promise<number | undefined> {
    const { tenant, reactor = '', traceId = '' } = by
    const id = headers['webhook-id'] ?? ''
    if (!(await this.#isSigned(tenant, headers, body))) return 401
    const log = this.#logs.of(tenant)
    const status = reply === 'none' ? undefined : reply
    const attempt = { at: new Date(this.#parts.nowMs()).toISOString(), ...(status && { status }) }
    const [before] = log.list(({ shown }) => shown.id === id)
    if (before) {
      before.shown.attempts.push(attempt)
      Object.assign(before.shown.headers, headers)
      log.serve()
      this.#parts.published(tenant, before.shown)
      return status
    }
    const parsed: JsonValue = JSON.parse(Buffer.from(body).toString())
    const shown = {
      id,
      url: url.href,
      reactor_id: reactor,
      trace_id: traceId,
      headers: { ...headers },
      body: parsed,
      attempts: [attempt],
    }
    log.add({ tenant, bytes: body, shown }, 2 * body.length)
    this.#parts.published(tenant, shown)
    return status
  }

  async #isSigned(tenant: string, headers: Sent['headers'], body: Uint8Array): Promise<boolean> {
    const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': given = '' } = headers
    const expected = signedHeaders(await this.#parts.secretOf(tenant), id, Number(at), body)
    return sameDigest(given, expected['webhook-signature'] ?? '')
  }

  async #replay(tenant: string, id: string): Promise<Received['shown']> {
    const log = this.#logs.of(tenant)
    const [found] = log.list(({ shown }) => shown.id === id)
    if (!found) throw new ServiceError('not_found', 'the inbox has no such webhook')
    const secret = await this.#parts.secretOf(tenant)
    const signed = signedHeaders(secret, id, Math.floor(this.#parts.machineMs() / 1000), found.bytes)
    const { url, reactor_id: reactor, trace_id: traceId, headers } = found.shown
    await this.#parts.deliver({
      url: new URL(url),
      method: 'POST',
      headers: { ...headers, ...signed },
      body: found.bytes,
      by: { tenant, reactor, traceId },
      accepts: () => false,
      signal: new AbortController().signal,
    })
    return found.shown
  }

  handlers(): DevHandlersOf<'inbox'> {
    const of =
      (reactor: string | undefined) =>
      ({ shown }: Received) =>
        reactor === undefined || shown.reactor_id === reactor.toLowerCase()
    return {
      'dev.inbox.list': async ({ tenant, query }) => {
        const found = this.#logs.of(tenant).list(of(query.reactor))
        return { status: 200, body: { data: found.map(({ shown }) => shown) } }
      },
      'dev.inbox.next': async ({ tenant, query, onDisconnect }) => {
        const isMeant = of(query.reactor)
        const isAccepted = ({ shown }: Received) =>
          shown.attempts.some(({ status = 0 }) => status >= 200 && status < 300)
        const { timeout = defaultTimeoutMs } = query
        const found = await this.#logs
          .of(tenant)
          .next(one => isMeant(one) && isAccepted(one), timeout, onDisconnect)
        return found ? { status: 200, body: found.shown } : { status: 204 }
      },
      'dev.inbox.respond': async ({ tenant, body: { status, times = 1 } }) => {
        this.#parts.order(tenant, status, times)
        return { status: 204 }
      },
      'dev.inbox.replay': async ({ tenant, path }) => ({
        status: 200,
        body: await this.#replay(tenant, path.id),
      }),
    }
  }

  clear(): void {
    this.#logs.clear()
  }
}
