import { randomInt } from 'node:crypto'
import { checkHistory } from './check.ts'
import { HistoryClients } from './clients.ts'

/**
 * Clients that work until they are told to stop, on servers whose database is interrupted. While it is, they wait: a
 * history with many requests of unknown outcome cannot be judged.
 */
export class InterruptedClients {
  answers = 0
  /** Requests without a response, or with a 503. */
  refusals = 0
  readonly #clients: HistoryClients
  readonly #working: Promise<void>
  #waiting: (() => void)[] = []
  #underWay = 0
  #isOver = false
  #state: 'open' | 'open until a refusal' | 'closed' = 'open'

  constructor(urls: readonly string[], key: string) {
    const up = async () => {
      await this.#until(() => this.#state !== 'closed')
      this.#underWay++
    }
    this.#clients = new HistoryClients({
      seed: String(randomInt(1e9)),
      servers: { urls: () => urls, up },
      key,
      onAnswer: () => {
        this.answers++
        this.#settled()
      },
      onLost: () => {
        this.refusals++
        if (this.#state !== 'open') this.#state = 'closed'
        this.#settled()
      },
    })
    this.#working = this.#clients.run().then(() => {
      this.#isOver = true
      this.#notify()
    })
  }

  /** Resolves after so many responses. */
  answered(count: number): Promise<void> {
    const from = this.answers
    return this.#until(() => this.answers >= from + count)
  }

  /** Resolves when a request was refused from now on, and no other one is under way. */
  interruption(): Promise<void> {
    this.#state = 'open until a refusal'
    return this.#until(() => this.#state === 'closed' && this.#underWay === 0)
  }

  /** Goes on after an interruption. */
  goOn(): void {
    this.#state = 'open'
    this.#notify()
  }

  /** Ends. Resolves with the first faults in what the clients saw, and what is there. */
  async end(): Promise<string[]> {
    this.#clients.stop()
    await this.#working
    await this.#clients.readAll()
    return [...this.#clients.faults, ...checkHistory(this.#clients.calls)].slice(0, 5)
  }

  /** Resolves also when the clients have ended, as they do after a fault. */
  async #until(met: () => boolean): Promise<void> {
    while (!met() && !this.#isOver) await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  #settled(): void {
    this.#underWay--
    this.#notify()
  }

  #notify(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
