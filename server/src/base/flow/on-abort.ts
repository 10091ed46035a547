/** Returns a function that calls its listener when the signal is aborted, at once if it is already. */
export const onAbort =
  (signal: AbortSignal) =>
  (listener: () => void): void =>
    signal.aborted ? listener() : signal.addEventListener('abort', listener, { once: true })
