import { ServiceError } from '../base/errors.ts'
import { toProblem, unexpectedError } from '../base/problem.ts'
import { problemType } from '../contract/contract.ts'
import { StoreUnavailable } from '../storage/port.ts'
import type { CoreResponse } from './message.ts'

/** How long a caller should wait before it asks a store that could not answer again. */
const retryAfterSeconds = 1

/** What a caller is told about any error: our own refusals as they are, all else as a plain 500. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof StoreUnavailable) {
    return new ServiceError(
      'unavailable',
      'the store cannot answer right now; nothing is half done, and an idempotency key tells what is',
      {
        headers: { 'Retry-After': String(retryAfterSeconds) },
      },
    )
  }
  return unexpectedError()
}

export function problemResponse(error: ServiceError, traceId: string, reason?: string): CoreResponse {
  return {
    status: error.status,
    headers: { ...error.headers, 'Content-Type': problemType },
    body: JSON.stringify(toProblem(error, traceId, reason)),
  }
}
