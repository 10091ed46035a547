import { ServiceError } from '../base/errors.ts'
import type { DevHandlersOf } from './handlers.ts'
import type { Journal, SentRequest } from './journal.ts'

interface Parts {
  readonly journal: Journal
  /** In lower case. */
  readonly traceHeader: string
  newTraceId(): string
  /** Makes a request, and resolves when its response has ended. */
  run(request: SentRequest): Promise<void>
}

/** Makes recorded requests again. */
export function replayHandlers(parts: Parts): Pick<DevHandlersOf<'requests'>, 'dev.requests.replay'> {
  const { journal, traceHeader, newTraceId, run } = parts
  return {
    'dev.requests.replay': async ({ tenant, path }) => {
      const sent = journal.sent(tenant, Number(path.number))
      if (!sent) {
        throw new ServiceError(
          'not_found',
          'this request cannot be repeated: its body was not read or is too long, it is not one of the last 100, or a formula made it',
        )
      }
      const traceId = newTraceId()
      await run({ ...sent, headers: { ...sent.headers, [traceHeader]: traceId } })
      const body = journal.withTrace(tenant, traceId)
      if (body) return { status: 200, body }
      throw new ServiceError('not_found', 'this request cannot be repeated: its key is not accepted any more')
    },
  }
}
