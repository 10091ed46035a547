import type { Log, LogFields, LogLevel } from '../base/log.ts'
import { clearInterval, monotonicMs, setInterval } from '../base/time/real-time.ts'

/** The store whose outages are logged. */
interface ObservedStore {
  /** Names it for people, such as `vault at db.example.org:5432`. */
  readonly name: string
  /** Returns why it cannot work at the moment, or `undefined`. */
  unhealthy(): string | undefined
}

interface OutageLogOptions {
  /** Monotonic milliseconds. Tests replace it. */
  readonly nowMs?: () => number
}

interface Outage {
  readonly sinceMs: number
  /** The first failure: its event and fields. */
  readonly fields: LogFields
  isLogged: boolean
}

const checkEveryMs = 1_000
const repeatEveryMs = 60_000

/**
 * A log in which an outage of the store is one line, another one each minute while it lasts, and one when it is over.
 * These replace the lines of everything that fails because of it, which would be many in each second.
 */
export class OutageLog implements Log {
  readonly level?: LogLevel
  readonly #log: Log
  readonly #store: ObservedStore
  readonly #nowMs: () => number
  #outage: Outage | undefined
  #lastLineMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(log: Log, store: ObservedStore, { nowMs = monotonicMs }: OutageLogOptions = {}) {
    this.#log = log
    this.#store = store
    this.#nowMs = nowMs
    if (log.level !== undefined) this.level = log.level
  }

  info(event: string, fields?: LogFields): void {
    this.#log.info(event, fields)
  }

  warn(event: string, fields?: LogFields): void {
    this.#log.warn(event, fields)
  }

  error(event: string, fields: LogFields = {}): void {
    const { error, ...others } = fields
    if (error !== 'StoreUnavailable') {
      this.#log.error(event, fields)
      return
    }
    this.#outage ??= { sinceMs: this.#nowMs(), isLogged: false, fields: { during: event, ...others } }
    this.#write(this.#outage)
    this.#timer ??= setInterval(() => this.check(), checkEveryMs).unref()
  }

  /** Looks if the outage is over. Called each second while there is one. */
  check(): void {
    const outage = this.#outage
    if (!outage) return
    if (this.#store.unhealthy() !== undefined) {
      this.#write(outage)
      return
    }
    this.close()
    if (!outage.isLogged) return
    this.#log.warn('store available', { store: this.#store.name, ...this.#lasting(outage) })
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#outage = undefined
  }

  #lasting({ sinceMs }: Outage): LogFields {
    return { seconds: Math.round((this.#nowMs() - sinceMs) / 1000) }
  }

  #write(outage: Outage): void {
    if (this.#nowMs() - this.#lastLineMs < repeatEveryMs) return
    this.#lastLineMs = this.#nowMs()
    outage.isLogged = true
    const reason = this.#store.unhealthy() ?? 'it did not answer in time'
    const fields = { store: this.#store.name, reason, ...this.#lasting(outage), ...outage.fields }
    this.#log.error('store unavailable', fields)
  }
}
