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

/** The time that long work may take in one iteration of the event loop, in real milliseconds. */
const sliceMs = 5

/**
 * The time that all long work together may take in an iteration of the event loop. Work asks between its parts: when the
 * time of the iteration is used up, it goes on in a later one.
 */
export class TimeSlice {
  readonly #nowMs: () => number
  /** When the present iteration began; `undefined` before the first work of it. */
  #beganMs: number | undefined

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs
  }

  /** Returns a promise to await if it is time to yield. Awaiting nothing would cost a microtask each time. */
  yield(): undefined | Promise<void> {
    if (this.#beganMs === undefined) {
      this.#beganMs = this.#nowMs()
      setImmediate(() => {
        this.#beganMs = undefined
      })
      return undefined
    }
    return this.#nowMs() - this.#beganMs > sliceMs ? nextTurn().then(() => this.yield()) : undefined
  }
}

/** Calls `next` with a value: at once, or when its promise resolves. A promise that need not be made costs time. */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Returns a function that calls its listener when the signal is aborted, at once if it is already. */
export const onAbort =
  (signal: AbortSignal) =>
  (listener: () => void): void =>
    signal.aborted ? listener() : signal.addEventListener('abort', listener, { once: true })
