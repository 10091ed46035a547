import { ServiceError } from '../../base/errors.ts'
import { toProblem, unexpectedError } from '../../base/problem.ts'
import { problemType } from '../../contract/contract.ts'
import type { Explanation } from '../../contract/types.ts'
import { StoreUnavailable } from '../../storage/port/port.ts'
import type { CoreResponse } from '../transport/message.ts'

/** The delay after which a caller should repeat a request that the store could not serve. */
const retryAfterSeconds = 1

/** Returns our own refusals as they are, a 503 for an unavailable store, and a plain 500 for any other error. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (!(error instanceof StoreUnavailable)) return unexpectedError()
  return new ServiceError(
    'unavailable',
    'the store is unavailable; repeat the request, with an idempotency key if it must not be done twice',
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  )
}

/** @param reason is appended to the detail */
export function problemResponse(
  error: ServiceError,
  traceId: string,
  reason?: string,
  explanation?: Explanation,
): CoreResponse {
  return {
    status: error.status,
    headers: { ...error.headers, 'Content-Type': problemType },
    body: JSON.stringify({ ...toProblem(error, traceId, reason), ...(explanation && { explanation }) }),
  }
}

/** Refuses a response to a formula's client that is longer than `limits.formulaAnswerBytes`. */
export function tooLargeForFormula(): ServiceError {
  return new ServiceError('payload_too_large', 'the answer is too large for a formula; ask for less')
}
