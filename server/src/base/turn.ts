import { monotonicMs, setImmediate } from './real-time.ts'
/** Yields to the event loop, so that a long request does not delay all others. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Returns a function that runs `task` at the end of the current turn, once however often it is called. */
export function oncePerTurn(task: () => void): () => void {
  let isAsked = false
  return () => {
    if (isAsked) return
    isAsked = true
    setImmediate(() => {
      isAsked = false
      task()
    })
  }
}

/** Most requests take this many turns, so one that arrives during a step does not wait for a second step. */
const turnsBetweenSteps = 4

/**
 * Spaces out the long steps of all requests: they run one at a time, some turns apart, in FIFO order. However many
 * requests are long, other requests wait for one step only.
 */
export class Steps {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when the caller may run its next step, up to its next `await`. */
  next(): Promise<void> {
    this.#last = this.#last.then(pause)
    return this.#last
  }
}

async function pause(): Promise<void> {
  for (let turn = 0; turn < turnsBetweenSteps; turn++) await nextTurn()
}

/** The longest time that a request runs without yielding, in real time. */
const longestTurnMs = 2

/** Timer of a request with much work, which yields to others after 2 ms. */
export class Turns {
  readonly #nowMs: () => number
  #sinceMs: number

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs
    this.#sinceMs = nowMs()
  }

  /** Returns a promise to await if it is time to yield; otherwise `undefined`. */
  passed(): undefined | Promise<void> {
    return this.#nowMs() - this.#sinceMs > longestTurnMs ? this.#pass() : undefined
  }

  async #pass(): Promise<void> {
    await nextTurn()
    this.#sinceMs = this.#nowMs()
  }
}
