import { type ErrorCode, errorRegistry } from '../base/errors.ts'
import { formulaErrors } from './protocol/messages.ts'
import type { Outcome } from './sandbox.ts'

/** An outcome without a response of the formula. */
export type Failure = Exclude<Outcome, { kind: 'answered' } | { kind: 'custom' }>

/** Returns the error code for a failure. */
export function failureCode(failure: Failure): ErrorCode {
  switch (failure.kind) {
    case 'refused':
      return formulaErrors[failure.error][0]
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
