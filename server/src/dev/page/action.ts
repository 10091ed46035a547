import { useState } from 'preact/hooks'

/** Runs actions one at a time, and keeps the error of the last one. */
export function useAction() {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const run = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true)
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
