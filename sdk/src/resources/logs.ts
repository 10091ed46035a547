import { logsList } from '../generated/operations.gen.ts'
import type { LogEntry, LogsListData } from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { Pages, pageOf } from '../pages.ts'
import { type Send, sendBy } from '../transport.ts'

/**
 * Filters of the log and the page: `entity_type`, `entity_id`, `from`, `to`, `after`, `page` from 1, `size` from 1 to 100.
 *
 * @example
 * ```ts
 * const query: LogQuery = { entity_type: 'token', entity_id: 'token-id' }
 * ```
 */
export type LogQuery = NonNullable<LogsListData['query']>

/** The audit log of the tenant. Needs a management key. */
export class Logs {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Lists log entries, newest first. They refer to tokens by id and contain none of their data. Needs `log:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * for await (const entry of surrogate.logs.list({ entity_type: 'token', entity_id: 'token-id' })) {
   *   console.log(entry.created_at, entry.operation, entry.actor_id)
   * }
   * ```
   */
  list(query?: LogQuery, options?: RequestOptions): Pages<LogEntry> {
    return new Pages(position =>
      pageOf({ ...query, ...position }, query => this.#send(logsList, { query }, options)),
    )
  }
}
