import type { Random } from '../../base/random.ts'
import type { Core } from '../pipeline/core.ts'
import { type CoreRequest, type CoreResponse, jsonResponse } from '../transport/message.ts'

/** A request that the thread of the port passes to that of the server. */
export interface Question {
  readonly traceId: string
  /** True for GET and HEAD. */
  readonly isRead: boolean
  readonly path: string
}

export type ThreadMessage =
  | Question
  | { readonly opened: { readonly url: string; readonly port: number } }
  /** The members of a system error. */
  | { readonly refused: { readonly message: string } }

export type ThreadOrder = 'close' | { readonly traceId: string; readonly response: CoreResponse }

/** Interval in which the server's thread shows that its event loop turns, in real milliseconds. */
export const beatMs = 1_000

/** Beats that may be missed: all work on the event loop is bounded to a small part of this. */
const mostMissed = 10

/** Counts the beats that the server's thread has missed. A process that was suspended has missed none. */
export class Pulse {
  readonly #beats: Int32Array
  #seen = 0
  #missed = 0

  constructor(beats: Int32Array) {
    this.#beats = beats
  }

  /** Called once in each interval. */
  check(): void {
    const now = Atomics.load(this.#beats, 0)
    this.#missed = now === this.#seen ? this.#missed + 1 : 0
    this.#seen = now
  }

  get beats(): boolean {
    return this.#missed < mostMissed
  }
}

interface OperatorCore {
  readonly pulse: Pulse
  readonly random: Random
  /** Asks the server's thread. */
  readonly ask: (question: Question) => Promise<CoreResponse>
}

/** Serves the port of operators in its thread. */
export function createOperatorCore({ pulse, random, ask }: OperatorCore): Core {
  return async (request: CoreRequest) => {
    const { method, path } = request
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && path === '/livez') {
      return pulse.beats ? jsonResponse(200, { status: 'ok' }) : jsonResponse(503, { status: 'unavailable' })
    }
    return ask({ traceId: random.uuid(), isRead, path })
  }
}
