import { type FieldErrors, ServiceError } from '../base/errors.ts'
import { type Failure, failureCode } from '../sandbox/outcome-status.ts'
import type { FormulaErrorName } from '../sandbox/sandbox.ts'

/** The `cause` of a refusal by the formula itself, not by our access rules. */
export const byFormula = 'formula'

const refusals: Readonly<Record<FormulaErrorName, string>> = {
  BadRequestError: 'the formula refused the arguments',
  AuthenticationError: 'the formula could not authenticate itself or its caller',
  InvalidPaymentMethodError: 'the formula refused the means of payment',
  AuthorizationError: 'the formula refused to do this for its caller',
  RateLimitError: 'the formula was invoked too often',
  ReactorRuntimeError: 'the formula failed',
  InvalidReactorConfigurationError: "the formula refused the reactor's configuration",
}

/** Returns the refusal for a failed invocation. */
// Requirements: INV-021
export function refusalOf(failure: Failure): ServiceError {
  const code = failureCode(failure)
  switch (failure.kind) {
    case 'refused': {
      const errors = Object.entries(failure.errors).map(([path, messages]) => [path, [...messages]])
      return new ServiceError(code, refusals[failure.error], {
        cause: byFormula,
        ...(errors.length === 0 ? {} : { errors: Object.fromEntries(errors) as FieldErrors }),
      })
    }
    case 'unusable':
    case 'failed':
      return new ServiceError(code, failure.detail)
    case 'busy':
      return new ServiceError(code, 'too many formulas are waiting to run; try again in a while')
  }
}
