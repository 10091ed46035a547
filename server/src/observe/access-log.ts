import { type Log, logs } from '../base/log.ts'
import type { Observer } from '../base/observer.ts'
import { monotonicMs } from '../base/time/real-time.ts'

/** Logs a line for each request, or returns `undefined` if the log drops such lines. */
export function accessLog(log: Log): Observer | undefined {
  if (!logs(log, 'info')) return undefined
  return {
    request: () => {
      const begunMs = monotonicMs()
      return {
        perform: (_operation, _caller, perform) => perform(),
        end: ({ operation, caller, status, traceId }) =>
          log.info('request', {
            trace: traceId,
            operation: operation?.id,
            status,
            ms: Math.round((monotonicMs() - begunMs) * 10) / 10,
            tenant: caller?.tenant,
            application: caller?.application,
            session: caller?.session,
          }),
      }
    },
    run: (_work, perform) => perform(),
    count: () => {},
  }
}
