import { monotonicMs, setImmediate } from '../time/real-time.ts'

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

/** The time after which an iteration of the event loop begins no more work, in real milliseconds. */
export const longestIterationMs = 5

/**
 * The most iterations without waiting work after one that took twice as long, unless they take as long themselves: an
 * iteration accepts only one connection, and several parts of a request take an iteration each.
 */
const restIterations = 16

/**
 * Divides the event loop among tenants, and the turns of each among its works. Work that begins, or goes on, asks for its
 * turn: it goes ahead while the present iteration of the loop is short. After that it waits for a later iteration, where
 * tenants take turns, and in each tenant its works. So neither probes nor other tenants wait for all requests of one, nor
 * its reads for all of its searches.
 */
export class Turns {
  readonly #nowMs: () => number
  readonly #usualRests: number
  /** When the present iteration began; `undefined` before the first work of it. */
  #beganMs: number | undefined
  /** By tenant and work, both in round-robin order. */
  readonly #waiting = new Map<string, Map<string, (() => void)[]>>()

  /**
   * @param nowMs a monotonic clock
   * @param usualRests iterations without waiting work after one with some that did not take twice as long
   */
  constructor(nowMs: () => number = monotonicMs, usualRests = 0) {
    this.#nowMs = nowMs
    this.#usualRests = usualRests
  }

  /**
   * Returns a promise to await if it is time to yield, as it is where others wait; otherwise `undefined`.
   *
   * @param work what is begun, such as an operation; nothing where work goes on
   */
  passed(tenant = '', work = ''): undefined | Promise<void> {
    if (this.#waiting.size === 0) return this.passedPart(tenant, work)
    return this.#wait(tenant, work)
  }

  /**
   * Like `passed`, between the short parts of long work: others wait until the iteration is long. With `passed`, one part
   * would be done in each iteration.
   */
  passedPart(tenant: string, work = ''): undefined | Promise<void> {
    if (this.#beganMs === undefined) this.#begin()
    return this.#isLong() ? this.#wait(tenant, work) : undefined
  }

  #wait(tenant: string, work: string): Promise<void> {
    return new Promise(resolve => {
      const works = this.#waiting.get(tenant)
      const queue = works?.get(work)
      if (queue) queue.push(resolve)
      else if (works) works.set(work, [resolve])
      else this.#waiting.set(tenant, new Map([[work, [resolve]]]))
    })
  }

  #begin(): void {
    this.#beganMs = this.#nowMs()
    // Runs when the loop has served what arrived in this iteration.
    setImmediate(() => {
      const rests = this.#lasted() > 2 * longestIterationMs ? restIterations : this.#usualRests
      this.#beganMs = this.#nowMs()
      this.#rest(rests)
    })
  }

  #rest(iterations: number): void {
    if (iterations > 0 && this.#waiting.size > 0 && !this.#isLong()) {
      setImmediate(() => this.#rest(iterations - 1))
      return
    }
    this.#beganMs = undefined
    if (this.#waiting.size === 0) return
    this.#begin()
    this.#resume()
  }

  #lasted(): number {
    return this.#nowMs() - (this.#beganMs ?? 0)
  }

  #isLong(): boolean {
    return this.#lasted() > longestIterationMs
  }

  /** Lets the next one go ahead, and those after it while the iteration is short. */
  #resume(): void {
    const resolve = this.#shift()
    if (!resolve) return
    resolve()
    // A tick runs when no microtask is left: then the work has been done up to its next wait.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (!this.#isLong()) this.#resume()
      }),
    )
  }

  /** Takes the first of what waits. Its tenant, and its work within that, become the last in their order. */
  #shift(): (() => void) | undefined {
    for (const [tenant, works] of this.#waiting) {
      for (const [work, queue] of works) {
        const first = queue.shift()
        works.delete(work)
        if (queue.length > 0) works.set(work, queue)
        this.#waiting.delete(tenant)
        if (works.size > 0) this.#waiting.set(tenant, works)
        return first
      }
    }
    return undefined
  }
}

/** Calls `next` with a value: at once, or when its promise resolves. A promise that need not be made costs time. */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
