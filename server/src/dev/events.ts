import { ServiceError } from '../base/errors.ts'
import { monotonicMs } from '../base/time/real-time.ts'
import type { Immutable } from '../contract/types.ts'
import type { DevConsoleLine, DevRecordedRequest, DevWebhook } from '../generated/dev-client/index.ts'
import { EventStream, eventText } from './event-stream.ts'
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
