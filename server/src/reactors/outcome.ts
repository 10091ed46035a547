import { type FieldErrors, ServiceError } from '../base/errors.ts'
import { formulaErrors } from '../sandbox/messages.ts'
import { type Failure, failureCode } from '../sandbox/outcome-status.ts'

/** The `cause` of a refusal by the formula itself, not by our access rules. */
export const byFormula = 'formula'

/** Returns the refusal for a failed invocation. */
// Requirements: INV-021
export function refusalOf(failure: Failure): ServiceError {
  const code = failureCode(failure)
  switch (failure.kind) {
    case 'refused': {
      const errors = Object.entries(failure.errors).map(([path, messages]) => [path, [...messages]])
      return new ServiceError(code, formulaErrors[failure.error][1], {
        cause: byFormula,
        ...(errors.length === 0 ? {} : { errors: Object.fromEntries(errors) as FieldErrors }),
      })
    }
    case 'unusable':
    case 'failed':
      return new ServiceError(code, failure.detail)
    case 'busy':
      return new ServiceError(code, 'too many formulas are waiting to run; try again in a while', {
        headers: { 'Retry-After': '1' },
      })
  }
}
