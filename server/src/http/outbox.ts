/**
 * Answers of one turn of the event loop, sent together at its end. Requests that arrived together are worked
 * on one after the other; an answer sent in between would wake its receiver each time, which on one machine
 * costs more than the whole answer did: with 16 connections, half as many reads a second.
 */
export class Outbox {
  #waiting: (() => void)[] = []

  /** Takes an answer; `send` is called before the next turn begins, and must not throw. */
  add(send: () => void): void {
    this.#waiting.push(send)
    if (this.#waiting.length === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const sends = this.#waiting
    this.#waiting = []
    for (const send of sends) send()
  }
}
