import { setAlarm } from './retry.ts'

/**
 * Yields the lines of a body as they come. Ends when the body does, when it breaks off, when the signal aborts, and after
 * `silentMs` without a byte. A reader that stops ends the body.
 */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  silentMs = 60_000,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader()
  // A read that waits ends, too.
  const end = () => void reader.cancel().catch(() => {})
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (!signal?.aborted) {
      const { value } = await reader
        .read()
        .catch((): { value?: undefined } => ({}))
        .finally(setAlarm(silentMs, signal, end))
      if (!value) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() as string
      yield* lines
    }
  } finally {
    end()
  }
}
