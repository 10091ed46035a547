import { APIError, type ErrorAnswer } from './errors.ts'
import { classes, ServerError, statuses } from './generated/status-errors.gen.ts'
import type { Problem } from './generated/types.gen.ts'

/**
 * Creates the error for a response without success; `reason` is used if there is no problem document. Messages end up
 * in logs: unless the texts of `errors` are known to come from the server itself, only the names of members are used.
 */
export function errorFor(answer: ErrorAnswer, reason: string, areReasonsSafe: boolean): APIError {
  const { status, headers } = answer
  const ErrorClass: typeof APIError =
    Object.values(classes)[statuses.indexOf(status)] ?? (status > 499 ? ServerError : APIError)
  const problem = (answer.body ?? {}) as Problem
  const { title, detail, errors = {} } = problem
  if (
    !/\/problem\+json/i.test(headers.get('content-type') as string) ||
    typeof title !== 'string' ||
    Object(errors) !== errors
  )
    return new ErrorClass(`${status}: ${reason}`, answer)
  const reasons = Object.entries(errors).flatMap(([name, texts]) =>
    areReasonsSafe ? [texts].flat().map(text => `${name}: ${text}`) : name,
  )
  // The first three reasons; `errors` has all of them.
  const { length } = reasons.splice(3)
  if (length) reasons.push(`${length} more`)
  const parts = [`${status} ${title}`, !(areReasonsSafe && reasons[0]) && detail, reasons.join('; ')]
  return new ErrorClass(parts.filter(Boolean).join(': '), { ...answer, problem })
}
