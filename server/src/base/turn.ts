/** Lets what else is waiting have its turn, so that a request of much work does not hold up all others. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Runs a task at the end of the turn in which it was asked for, once however often that was. */
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

/** Most requests need this many turns of the event loop: one that arrives during a step waits for no second one. */
const turnsBetweenSteps = 4

/**
 * Runs long steps of all requests one at a time, some turns of the event loop apart and in the order in which they
 * were asked for: however many requests take long, others wait for one step.
 */
export class Steps {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when the caller may go on, up to its next `await`. */
  next(): Promise<void> {
    this.#last = this.#last.then(pause)
    return this.#last
  }
}

async function pause(): Promise<void> {
  for (let turn = 0; turn < turnsBetweenSteps; turn++) await nextTurn()
}

/** How long one request may go on at a stretch. Real time, as it is real time that others wait. */
const longestTurnMs = 2

/** Work in pieces that may be long: between two of them others have their turn, once it has lasted. */
export class Turns {
  readonly #nowMs: () => number
  #sinceMs: number

  /** @param nowMs a clock that only grows */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#sinceMs = nowMs()
  }

  /** Something to wait for before the next piece, where it is the turn of others. */
  passed(): undefined | Promise<void> {
    return this.#nowMs() - this.#sinceMs > longestTurnMs ? this.#pass() : undefined
  }

  async #pass(): Promise<void> {
    await nextTurn()
    this.#sinceMs = this.#nowMs()
  }
}
