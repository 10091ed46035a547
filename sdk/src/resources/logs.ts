import { ConnectionError } from '../errors.ts'
import { logsList } from '../generated/operations.gen.ts'
import type { LogEntry, LogPosition, LogsListData } from '../generated/types.gen.ts'
import { linesOf } from '../lines.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { Pages, pageOf } from '../pages.ts'
import { realWaits, type Waits } from '../retry.ts'
import { type Send, sendBy } from '../transport.ts'

type Query = NonNullable<LogsListData['query']>

/**
 * Filters of the log and the page: `entity_type`, `entity_id`, `from`, `to`, `after`, `page` from 1, `size` from 1 to 100.
 *
 * @example
 * ```ts
 * const query: LogQuery = { entity_type: 'token', entity_id: 'token-id' }
 * ```
 */
export type LogQuery = Omit<Query, 'follow'>

/**
 * Filters of a log that is followed, and where it begins: behind the time `after`, at `from`, or with the next entry.
 *
 * @example
 * ```ts
 * const query: LogFollowQuery = { entity_type: 'token', after: '2026-01-31T09:30:00.123456Z' }
 * ```
 */
export type LogFollowQuery = Omit<LogQuery, 'page' | 'size'>

/** Yields entries and positions, and opens another stream behind the last one at the end of each. @internal */
export async function* followLog(
  send: Send,
  query: LogFollowQuery = {},
  options: RequestOptions = {},
  waits: Pick<Waits, 'sleep'> = realWaits,
): AsyncGenerator<LogEntry | LogPosition, void, undefined> {
  const { signal } = options
  for (let { after } = query; ; ) {
    let isSilent = true
    const request = { query: { ...query, ...(after && { after }), follow: 'true' as const } }
    const { response } = await send(logsList, request, options).withResponse()
    for await (const line of linesOf(response.body as ReadableStream<Uint8Array>, signal)) {
      isSilent = false
      const read: LogEntry & LogPosition = JSON.parse(line)
      after = read.after ?? read.created_at
      yield read
    }
    signal?.throwIfAborted()
    // What ends one stream at once may end the next one, too.
    await waits.sleep(1_000, signal)
    if (isSilent) throw new ConnectionError('the stream of the log had no line')
  }
}

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

  /**
   * Yields log entries as they are made, oldest first and each once. When a stream ends or the connection breaks, it goes
   * on without a gap in another one. Needs `log:read`. To go on later, pass the `created_at` of the last entry as `after`.
   *
   * Throws `PermissionError` or `AuthenticationError` if the key may not read the log any more, `RateLimitError` if it is
   * followed too many times, and `ConnectionError` if the server cannot be reached after the retries of a call.
   *
   * @example
   * ```ts
   * for await (const entry of surrogate.logs.follow({ entity_type: 'token' })) {
   *   console.log(entry.created_at, entry.operation, entry.entity_id)
   * }
   * ```
   */
  async *follow(query?: LogFollowQuery, options?: RequestOptions): AsyncGenerator<LogEntry, void, undefined> {
    for await (const line of followLog(this.#send, query, options)) if ('id' in line) yield line
  }
}
