import type { Writable } from 'node:stream'
import { oncePerTurn } from '../base/flow/event-loop.ts'
import { type LogLevel, logLine } from '../base/log.ts'

/** Characters that wait for whoever reads the log. Lines beyond that are dropped. */
const mostWaiting = 1 << 20

/**
 * Writes the lines of a log to a stream: those of level `info` together at the end of a turn of the event loop, as a write
 * for each request takes a tenth of its time. Drops lines while the stream is not read, so that neither requests nor memory
 * depend on its reader, and writes a line that counts them when it is read again.
 *
 *     const log = createLog(lineWriter(process.stderr))
 */
export function lineWriter(
  stream: Pick<Writable, 'write' | 'writableLength'>,
): (line: string, level: LogLevel) => void {
  let waiting = ''
  let dropped = 0
  const flush = () => {
    const lines = waiting
    waiting = ''
    if (lines !== '') stream.write(lines)
  }
  const flushLater = oncePerTurn(flush)
  return (line, level) => {
    if (stream.writableLength + waiting.length > mostWaiting) {
      dropped++
      return
    }
    if (dropped > 0)
      waiting += logLine('warn', 'log lines were dropped, as they were not read', { lines: dropped })
    dropped = 0
    waiting += line
    if (level === 'info') flushLater()
    else flush()
  }
}
