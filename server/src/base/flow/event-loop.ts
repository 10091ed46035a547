import { setImmediate } from '../time/real-time.ts'

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
