import { devInboxList, devInboxNext, devInboxReplay, devInboxRespond } from './generated/operations.gen.ts'
import type { DevWebhook } from './generated/types.gen.ts'
import type { DevSend } from './send.ts'

/**
 * Receives webhooks of one tenant.
 *
 * @example
 * ```ts
 * const inbox: DevInbox = dev.inbox
 * await surrogate.reactors.react('reactor-id', { args: {}, callback_url: inbox.url })
 * const { body } = await inbox.next()
 * ```
 */
export class DevInbox {
  /** The `callback_url` that leads here, also without `--allow-private-callbacks`. Paths below it do, too. */
  readonly url = 'https://inbox.surrogate.invalid/'
  readonly #send: DevSend

  /** @internal */
  constructor(send: DevSend) {
    this.#send = send
  }

  /** Returns the webhooks that came, oldest first, also those that the inbox has not accepted yet. */
  async list(filter: { readonly reactor?: string } = {}): Promise<readonly DevWebhook[]> {
    return (await this.#send(devInboxList, { query: { ...filter } })).data
  }

  /**
   * Returns the oldest webhook that the inbox has accepted and that `next` has not returned yet. Waits for one if there is
   * none, and throws after `timeout` milliseconds (5000).
   */
  async next(filter: { readonly reactor?: string; readonly timeout?: number } = {}): Promise<DevWebhook> {
    const found = await this.#send(devInboxNext, { query: { ...filter } })
    if (found) return found
    const all = await this.list()
    const refused = all.filter(({ attempts }) => attempts.every(({ status = 500 }) => status >= 300)).length
    throw new Error(`no webhook came; the inbox has ${all.length}, of which it refused ${refused}`)
  }

  /** Sets the status with which the inbox replies to the next attempt, or to `times` attempts. */
  async respond(status: number, options: { readonly times?: number } = {}): Promise<void> {
    await this.#send(devInboxRespond, { body: { status, ...options } })
  }

  /** Delivers a webhook to the inbox again, and returns it. `next` does not return it a second time. */
  async replay(id: string): Promise<DevWebhook> {
    return this.#send(devInboxReplay, { path: { id } })
  }
}
