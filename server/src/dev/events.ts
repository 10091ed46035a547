import { ServiceError } from '../base/errors.ts'
import { clearTimeout, monotonicMs, setTimeout } from '../base/time/real-time.ts'
import type { Immutable } from '../contract/types.ts'
import type { DevConsoleLine, DevRecordedRequest, DevWebhook } from '../generated/dev-client/index.ts'
import type { DevHandlersOf } from './handlers.ts'

/** As the contract says. */
export const mostOfTenant = 10
export const mostStreams = 100
const mostCharacters = 100_000

interface Occurrences {
  readonly request: Immutable<DevRecordedRequest>
  readonly webhook: Immutable<DevWebhook>
  readonly console: DevConsoleLine & { readonly reactor_id: string }
}

/** Sends what happens in a tenant to those who watch it. */
export class Events {
  readonly #streams = new Map<string, Set<EventStream>>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs
  }

  publish<Name extends keyof Occurrences>(tenant: string, name: Name, data: Occurrences[Name]): void {
    const streams = this.#streams.get(tenant)
    if (!streams) return
    const text = JSON.stringify(data)
    const isLong = text.length > mostCharacters
    const event = eventText(name, isLong ? JSON.stringify({ ...data, body: null, is_cut: true }) : text)
    for (const stream of streams) stream.push(event)
  }

  /** @throws {ServiceError} rate_limited */
  open(tenant: string): EventStream {
    for (const streams of this.#streams.values()) for (const stream of streams) stream.isOver()
    const own = this.#streams.get(tenant) ?? new Set<EventStream>()
    const all = [...this.#streams.values()].reduce((sum, { size }) => sum + size, 0)
    if (own.size >= mostOfTenant || all >= mostStreams) {
      throw new ServiceError('rate_limited', 'too many streams of events are open', {
        headers: { 'Retry-After': '1' },
      })
    }
    const stream: EventStream = new EventStream(() => {
      own.delete(stream)
      if (own.size === 0 && this.#streams.get(tenant) === own) this.#streams.delete(tenant)
    }, this.#nowMs)
    this.#streams.set(tenant, own.add(stream))
    return stream
  }

  handlers(): DevHandlersOf<'events'> {
    return {
      'dev.events.stream': async ({ tenant }) => ({ status: 200, events: this.open(tenant) }),
    }
  }

  /** Ends all streams. */
  clear(): void {
    for (const streams of this.#streams.values()) for (const stream of [...streams]) stream.end()
  }
}

/** As the contract says. */
const mostWaiting = 1000
const mostWaitingCharacters = 500_000
const heartbeatMs = 15_000
const longestMs = 300_000

type Result = IteratorResult<string, undefined>

const done: Result = { done: true, value: undefined }

/**
 * The events of a tenant for one reader, as text of `text/event-stream`. Events that are not read in time are dropped,
 * and counted. A generator could not end while it waits.
 */
export class EventStream implements AsyncIterableIterator<string, undefined> {
  readonly #nowMs: () => number
  readonly #endsMs: number
  readonly #ended: () => void
  #waiting: string[] = [': these are events\n\n']
  #characters = 0
  #dropped = 0
  #isOver = false
  #reader: ((result: Result) => void) | undefined
  #heartbeat: NodeJS.Timeout | undefined

  /** @param ended is called once, when the stream ends */
  constructor(ended: () => void, nowMs: () => number) {
    this.#ended = ended
    this.#nowMs = nowMs
    this.#endsMs = nowMs() + longestMs
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  push(event: string): void {
    if (this.isOver()) return
    if (this.#waiting.length >= mostWaiting || this.#characters + event.length > mostWaitingCharacters) {
      this.#dropped += this.#waiting.length + 1
      this.#waiting = []
      this.#characters = 0
    } else {
      this.#waiting.push(event)
      this.#characters += event.length
    }
    this.#serve()
  }

  /** True if the stream has ended. Ends it if it is too old. */
  isOver(): boolean {
    if (!this.#isOver && this.#nowMs() >= this.#endsMs) this.end()
    return this.#isOver
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#waiting = []
    this.#ended()
    this.#reply(done)
  }

  /** Takes all that waits, as one text. */
  #take(): string {
    const dropped = this.#dropped === 0 ? '' : eventText('dropped', JSON.stringify({ count: this.#dropped }))
    const text = this.#waiting.join('') + dropped
    this.#waiting = []
    this.#characters = 0
    this.#dropped = 0
    return text
  }

  #serve(): void {
    if (this.#reader && (this.#waiting.length > 0 || this.#dropped > 0))
      this.#reply({ done: false, value: this.#take() })
  }

  #reply(result: Result): void {
    clearTimeout(this.#heartbeat)
    const reader = this.#reader
    this.#reader = undefined
    reader?.(result)
  }

  next(): Promise<Result> {
    if (this.isOver()) return Promise.resolve(done)
    return new Promise(resolve => {
      this.#reader = resolve
      const beat = () => (this.isOver() ? undefined : this.#reply({ done: false, value: ': still here\n\n' }))
      this.#heartbeat = setTimeout(beat, heartbeatMs).unref()
      this.#serve()
    })
  }

  return(): Promise<Result> {
    this.end()
    return Promise.resolve(done)
  }
}

/** @param data JSON in one line */
function eventText(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`
}
