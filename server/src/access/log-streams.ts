import { ServiceError } from '../base/errors.ts'
import type { Admission } from '../base/flow/admission.ts'
import type { LimitsLike } from '../base/limits.ts'
import { formatMicros } from '../base/time/date-time.ts'
import { clearTimeout, monotonicMs, setTimeout } from '../base/time/real-time.ts'
import type { LogEntry, LogPosition } from '../contract/types.ts'
import { type AuditContext, type LogFilter, newestEntryUs, nextEntries, stampOf } from './audit-log.ts'
import type { Caller } from './caller.ts'

/** As the contract says. Times are real milliseconds. */
const streamLimits = { pollMs: 1_000, positionMs: 15_000, longestMs: 300_000, entriesAtOnce: 100 } as const

/** Entries of a log that is followed, as many at once as there are, and positions between them. */
type LogLines = AsyncIterableIterator<readonly LogEntry[] | LogPosition, undefined>

/** A stream of a log: its end may come while it waits. */
interface Stream {
  isOver: boolean
  wake(): void
}

/** Sends the entries of audit logs as they are made. An entry may come from another server, so the store is asked. */
export class LogStreams {
  readonly #context: AuditContext
  readonly #admission: Pick<Admission, 'demand'>
  readonly #limits: LimitsLike<typeof streamLimits>
  /** Functions that end the open streams. */
  readonly #open = new Set<() => void>()
  #isClosed = false

  constructor(
    context: AuditContext,
    admission: Pick<Admission, 'demand'>,
    limits: LimitsLike<typeof streamLimits> = streamLimits,
  ) {
    this.#context = context
    this.#admission = admission
    this.#limits = limits
  }

  /**
   * Resolves with a stream that begins where the log is now, whenever it is read.
   * @throws {ServiceError} rate_limited, unavailable
   */
  // Requirements: LOG-502
  async open({ tenant, application }: Caller, filter: LogFilter, peer?: string): Promise<LogLines> {
    if (this.#isClosed) throw new ServiceError('unavailable', 'the server is stopping')
    const lease = this.#admission.demand({ tenant, application, peer })
    const stream: Stream = { isOver: false, wake: () => {} }
    const end = () => {
      clearTimeout(deadline)
      this.#open.delete(end)
      lease.release()
      stream.isOver = true
      stream.wake()
    }
    const deadline = setTimeout(end, this.#limits.longestMs).unref()
    this.#open.add(end)
    try {
      const startUs = await this.#startOf(tenant, filter)
      return endable(this.#linesOf(tenant, filter, startUs, stream), end)
    } catch (error) {
      end()
      throw error
    }
  }

  /** Ends all streams. */
  end(): void {
    for (const end of this.#open) end()
  }

  /** Ends all streams for good: whoever followed the log would otherwise open another one. */
  close(): void {
    this.#isClosed = true
    this.end()
  }

  async *#linesOf(
    tenant: string,
    filter: LogFilter,
    startUs: number,
    stream: Stream,
  ): AsyncGenerator<readonly LogEntry[] | LogPosition, undefined> {
    const { pollMs, positionMs, entriesAtOnce } = this.#limits
    let atUs = startUs
    let positionDueMs = monotonicMs()
    while (!stream.isOver) {
      const { entries, lastUs, hasMore } = await nextEntries(
        this.#context,
        tenant,
        filter,
        atUs,
        entriesAtOnce,
      )
      atUs = lastUs
      if (entries.length > 0) yield entries
      if (hasMore) continue
      if (monotonicMs() >= positionDueMs) {
        positionDueMs = monotonicMs() + positionMs
        yield { after: formatMicros(atUs) }
      }
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, pollMs)
        stream.wake = () => {
          clearTimeout(timer)
          resolve()
        }
        if (stream.isOver) stream.wake()
      })
    }
    return undefined
  }

  async #startOf(tenant: string, { after, from }: LogFilter): Promise<number> {
    if (after !== undefined) return stampOf(after)
    return from === undefined ? newestEntryUs(this.#context, tenant) : Math.max(0, stampOf(from) - 1)
  }
}

/** Returns lines that end at once, also while the next one is awaited, unlike those of a generator. */
function endable(
  lines: AsyncGenerator<readonly LogEntry[] | LogPosition, undefined>,
  end: () => void,
): LogLines {
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => lines.next(),
    return: async () => {
      end()
      return { done: true, value: undefined }
    },
  }
}
