import { useState } from 'preact/hooks'

/** Runs actions, and keeps the error of the last one. Forms wait for it, unless it only reads (`isQuiet`). */
export function useAction() {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const run = async (action: () => Promise<void>, isQuiet = false): Promise<void> => {
    setBusy(!isQuiet)
    setError(undefined)
    try {
      await action()
    } catch (failed) {
      setError(failed)
    } finally {
      setBusy(false)
    }
  }
  return { error, isBusy, run }
}
