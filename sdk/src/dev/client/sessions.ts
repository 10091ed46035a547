import { devSessionsEnd, devSessionsList } from './generated/operations.gen.ts'
import type { DevSession } from './generated/types.gen.ts'
import type { DevSend } from './send.ts'

/**
 * The sessions of one tenant.
 *
 * @example
 * ```ts
 * const sessions: DevSessions = dev.sessions
 * for (const { id } of await sessions.list()) await sessions.end(id)
 * ```
 */
export class DevSessions {
  readonly #send: DevSend

  /** @internal */
  constructor(send: DevSend) {
    this.#send = send
  }

  /** Returns the last 100 sessions that have not expired, newest first, without their keys. */
  async list(): Promise<readonly DevSession[]> {
    return (await this.#send(devSessionsList)).data
  }

  /** Ends a session now, as if it had expired. */
  async end(id: string): Promise<void> {
    await this.#send(devSessionsEnd, { path: { id } })
  }
}
