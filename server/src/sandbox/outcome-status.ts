import { type ErrorCode, errorRegistry } from '../base/errors.ts'
import type { FormulaErrorName, Outcome } from './sandbox.ts'

/** The error code for each class of `@surrogate/formula-errors`. */
// Requirements: INV-507
export const formulaErrorCodes: Readonly<Record<FormulaErrorName, ErrorCode>> = {
  BadRequestError: 'validation',
  AuthenticationError: 'unauthenticated',
  InvalidPaymentMethodError: 'payment_method',
  AuthorizationError: 'permission_denied',
  RateLimitError: 'rate_limited',
  ReactorRuntimeError: 'reactor_runtime',
  InvalidReactorConfigurationError: 'validation',
}

/** An outcome without a response of the formula. */
export type Failure = Exclude<Outcome, { kind: 'answered' } | { kind: 'custom' }>

/** Returns the error code for a failure. */
export function failureCode(failure: Failure): ErrorCode {
  switch (failure.kind) {
    case 'refused':
      return formulaErrorCodes[failure.error]
    // Requirements: INV-509
    case 'unusable':
      return 'unprocessable'
    // Requirements: INV-510
    case 'failed':
      return 'reactor_runtime'
    case 'busy':
      return 'rate_limited'
  }
}

/** Returns the HTTP status of an invocation. */
export function outcomeStatus(outcome: Outcome): number {
  if (outcome.kind === 'answered') return 200
  return outcome.kind === 'custom' ? outcome.status : errorRegistry[failureCode(outcome)].status
}
