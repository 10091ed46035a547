import { oncePerTurn } from '../../base/flow/event-loop.ts'
import { monotonicMs } from '../../base/time/real-time.ts'

/** Responses that follow each other within so many real milliseconds are sent together. */
const closeMs = 1

/**
 * Sends the responses of one turn of the event loop together at its end, if they follow each other closely. Sending each
 * at once would wake its receiver in between: with 32 connections on one machine a read takes a fifth more of the
 * processor. But the end of a turn is far away where work is long, so a response on its own is sent at once.
 */
export class Outbox {
  readonly #nowMs: () => number
  #waiting: (() => void)[] = []
  #lastMs = Number.NEGATIVE_INFINITY
  readonly #flushLater = oncePerTurn(() => this.#flush())

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs
  }

  /** @param send is called now or at the end of this turn, and must not throw */
  add(send: () => void): void {
    const nowMs = this.#nowMs()
    const isAlone = nowMs - this.#lastMs > closeMs
    this.#lastMs = nowMs
    this.#waiting.push(send)
    if (isAlone) this.#flush()
    else this.#flushLater()
  }

  #flush(): void {
    const sends = this.#waiting
    this.#waiting = []
    for (const send of sends) send()
  }
}
