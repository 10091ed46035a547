import { type FieldErrors, ServiceError } from '../base/errors.ts'
import type { FormulaErrorName, Outcome } from '../sandbox/sandbox.ts'

/** What came of running the code, where it is no answer. */
export type Failure = Exclude<Outcome, { kind: 'answered' } | { kind: 'custom' }>

/** `cause` of a refusal that is the formula's, not ours: none of our access rules had a part in it. */
export const byFormula = 'formula'

const codes = {
  BadRequestError: ['validation', 'the formula refused the arguments'],
  AuthenticationError: ['unauthenticated', 'the formula could not authenticate itself or its caller'],
  InvalidPaymentMethodError: ['payment_method', 'the formula refused the means of payment'],
  AuthorizationError: ['permission_denied', 'the formula refused to do this for its caller'],
  RateLimitError: ['rate_limited', 'the formula was asked too often'],
  ReactorRuntimeError: ['reactor_runtime', 'the formula failed'],
  InvalidReactorConfigurationError: ['validation', "the formula refused the reactor's configuration"],
} as const satisfies Record<FormulaErrorName, unknown>

/** The refusal that a caller is told of. */
export function refusalOf(failure: Failure): ServiceError {
  switch (failure.kind) {
    case 'refused': {
      const [code, detail] = codes[failure.error]
      const errors = Object.entries(failure.errors).map(([path, messages]) => [path, [...messages]])
      return new ServiceError(code, detail, {
        cause: byFormula,
        ...(errors.length === 0 ? {} : { errors: Object.fromEntries(errors) as FieldErrors }),
      })
    }
    case 'unusable':
      return new ServiceError('unprocessable', failure.detail)
    case 'failed':
      return new ServiceError('reactor_runtime', failure.detail)
    case 'busy':
      return new ServiceError('rate_limited', 'too many formulas are waiting to run; try again in a while')
  }
}
