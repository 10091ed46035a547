import { SurrogateError } from '../../../generated/client/errors.ts'
import { followLog, type LogFollowQuery } from '../../../generated/client/resources/logs.ts'
import type { Send } from '../../../generated/client/transport.ts'
import { reportFailure } from './run.ts'
import { escaped } from './show.ts'

interface Printing {
  readonly query: LogFollowQuery
  /** True to go on when all entries are printed. */
  readonly follow: boolean
  /** Prints a line. Rejects once nobody reads what is printed. */
  readonly print: (line: string) => Promise<void>
  readonly onProgress: (line: string) => void
}

/** Prints the log as lines of JSON, oldest first, and finds a lost server again. Resolves with the exit code. */
export async function printLog(send: Send, { query, follow, print, onProgress }: Printing): Promise<number> {
  let { after } = query
  let wasConnected = false
  let isLost = false
  for (;;) {
    try {
      for await (const line of followLog(send, { ...query, ...(after && { after }) })) {
        if (isLost) onProgress('surrogate-server: connected again')
        isLost = false
        wasConnected = true
        if ('id' in line) await print(escaped(JSON.stringify(line)))
        else if (!follow) return 0
        after = 'id' in line ? line.created_at : line.after
      }
    } catch (error) {
      // Nobody reads what is printed any more.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0
      // The client has tried again already, and waited in between.
      const goesOn = follow && wasConnected && error instanceof SurrogateError && isPassing(error)
      const { exitCode } = reportFailure(error, isLost && goesOn ? () => {} : onProgress)
      if (!goesOn) return exitCode
      isLost = true
    }
  }
}

/** True for a failure that another attempt may not have. */
const isPassing = ({ status = 500 }: SurrogateError) => status === 429 || status >= 500
