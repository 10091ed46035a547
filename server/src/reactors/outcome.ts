import { type FieldErrors, NotOfOurs, ServiceError } from '../base/errors.ts'
import type { Explanation } from '../contract/types.ts'
import { formulaErrors, type Thrown } from '../sandbox/protocol/messages.ts'
import { type Failure, failureCode, type PrintedText } from '../sandbox/sandbox.ts'

type FormulaWords = NonNullable<Explanation['formula']>

/** The `cause` of a refusal or failure by the formula itself, not by our access rules. */
class FormulaFailure extends NotOfOurs {
  /** The error and console of the formula. Of development servers only. */
  readonly words: FormulaWords | undefined

  constructor(thrown: Thrown | undefined, printed: readonly PrintedText[] | undefined) {
    super()
    if (!printed) return
    const { message = '', stack = [] } = thrown ?? {}
    this.words = {
      ...(message === '' ? {} : { message }),
      stack: [...stack],
      console: printed,
    }
  }
}

/** Returns what a formula said when it failed. */
export function wordsOfFormula({ cause }: ServiceError): FormulaWords | undefined {
  return cause instanceof FormulaFailure ? cause.words : undefined
}

/**
 * Returns the refusal for a failed invocation.
 */
// Requirements: INV-021
export function refusalOf(failure: Failure): ServiceError {
  const code = failureCode(failure)
  if (failure.kind === 'busy') {
    return new ServiceError(code, 'too many formulas are waiting to run; try again in a while', {
      headers: { 'Retry-After': '1' },
    })
  }
  const cause = new FormulaFailure(failure.thrown, failure.printed)
  if (failure.kind !== 'refused') return new ServiceError(code, failure.detail, { cause })
  const errors = Object.entries(failure.errors).map(([path, messages]) => [path, [...messages]])
  return new ServiceError(code, formulaErrors[failure.error][1], {
    cause,
    ...(errors.length === 0 ? {} : { errors: Object.fromEntries(errors) as FieldErrors }),
  })
}
