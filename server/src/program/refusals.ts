import { BootstrapError } from '../access/bootstrap.ts'
import { OperatorError } from '../base/operator-error.ts'
import { explainSystemError } from './system-errors.ts'

/** Returns one sentence about an error that the operator can correct; `undefined` for any other error. */
export function explain(error: unknown): string | undefined {
  if (error instanceof BootstrapError) return `the bootstrap file is not valid: ${error.message}`
  if (error instanceof OperatorError) return error.program ?? error.message
  return explainSystemError(error as NodeJS.ErrnoException)
}
