import { type ErrorCode, errorRegistry, type FieldErrors, ServiceError } from './errors.ts'

/** A problem document, RFC 9457. */
type Problem = {
  readonly type: `urn:surrogate:error:${ErrorCode}`
  readonly title: string
  readonly status: number
  readonly detail: string
  /** Names this one occurrence by its trace id. */
  readonly instance: string
  readonly errors?: FieldErrors
}

/** @param reason is appended to the detail */
// Requirements: ERR-001, ERR-501, ERR-514, WIR-546
export function toProblem(error: ServiceError, traceId: string, reason?: string): Problem {
  const { title, status } = errorRegistry[error.code]
  // What a formula said may be the detail already.
  const isSaid = reason === undefined || error.message === reason
  return {
    type: `urn:surrogate:error:${error.code}`,
    title,
    status,
    detail: isSaid ? error.message : `${error.message}: ${reason}`,
    instance: `urn:surrogate:trace:${encodeURIComponent(traceId)}`,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  }
}

/** The only thing a caller learns of an unexpected error. */
export function unexpectedError(): ServiceError {
  return new ServiceError('internal', 'something went wrong on our side; the trace id finds it in our log')
}
