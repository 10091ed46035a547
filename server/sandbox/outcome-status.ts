import { type ErrorCode, errorRegistry } from '../base/errors.ts'
import type { FormulaErrorName, Outcome } from './sandbox.ts'

/** What each class of `@surrogate/formula-errors` is to a caller. */
export const formulaErrorCodes: Readonly<Record<FormulaErrorName, ErrorCode>> = {
  BadRequestError: 'validation',
  AuthenticationError: 'unauthenticated',
  InvalidPaymentMethodError: 'payment_method',
  AuthorizationError: 'permission_denied',
  RateLimitError: 'rate_limited',
  ReactorRuntimeError: 'reactor_runtime',
  InvalidReactorConfigurationError: 'validation',
}

/** The code of the problem an outcome comes to, or `undefined` where it is a response. */
export function outcomeCode(outcome: Outcome): ErrorCode | undefined {
  switch (outcome.kind) {
    case 'answered':
    case 'custom':
      return undefined
    case 'refused':
      return formulaErrorCodes[outcome.error]
    case 'unusable':
      return 'unprocessable'
    case 'failed':
      return 'reactor_runtime'
    case 'busy':
      return 'rate_limited'
  }
}

/** The status with which an invocation answers. */
export function outcomeStatus(outcome: Outcome): number {
  if (outcome.kind === 'custom') return outcome.status
  const code = outcomeCode(outcome)
  return code === undefined ? 200 : errorRegistry[code].status
}
