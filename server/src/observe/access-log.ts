import { type Log, logs } from '../base/log.ts'
import type { Observer } from '../base/observer.ts'
import { monotonicMs } from '../base/time/real-time.ts'

/** Without a socket, callers may use any text as a method. */
const usualMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Logs a line for each request, or returns `undefined` if the log drops such lines. */
export function accessLog(log: Log): Observer | undefined {
  if (!logs(log, 'info')) return undefined
  return {
    request: () => {
      const begunMs = monotonicMs()
      return {
        perform: (_operation, _caller, perform) => perform(),
        end: ({ operation, caller, status, traceId, method, error, peer }) =>
          log.info('request', {
            trace: traceId,
            method: usualMethods.has(method) ? method : 'other',
            route: operation?.path,
            operation: operation?.id,
            status,
            error,
            peer,
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
