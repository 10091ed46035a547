import { errorRegistry, ServiceError } from '../base/errors.ts'
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
  return new ServiceError('internal', 'something went wrong on our side; the trace id finds it in our log')
}

export function problemResponse(error: ServiceError, traceId: string, reason?: string): CoreResponse {
  return {
    status: error.status,
    headers: { ...error.headers, 'Content-Type': problemType },
    body: JSON.stringify(problemOf(error, traceId, reason)),
  }
}

/** RFC 9457. `instance` names this one occurrence by its trace id. */
// Requirements: ERR-501
export function problemOf(error: ServiceError, traceId: string, reason?: string) {
  const { title, status } = errorRegistry[error.code]
  return {
    type: `urn:surrogate:error:${error.code}`,
    title,
    status,
    detail: reason === undefined ? error.message : `${error.message}: ${reason}`,
    instance: `urn:surrogate:trace:${encodeURIComponent(traceId)}`,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  }
}
