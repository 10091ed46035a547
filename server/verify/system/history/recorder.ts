import type { Answer, Call, Request } from './call.ts'

/** A request that was sent and has no outcome yet. */
export interface Sent {
  /** Records the response. */
  answered(answer: Answer): void
  /** Records that the outcome will stay unknown. */
  lost(): void
}

/** Records what clients see, in one order of all requests and responses. */
export class Recorder {
  readonly calls: Call[] = []
  #last = 0

  send(client: string, request: Request): Sent {
    const from = ++this.#last
    return {
      answered: answer => void this.calls.push({ client, from, to: ++this.#last, request, answer }),
      lost: () => void this.calls.push({ client, from, request }),
    }
  }
}
