import { OperatorError } from '../../../base/operator-error.ts'

/** Thrown for a database that cannot be used; the message is for the operator. */
export class DatabaseRefused extends OperatorError {
  override readonly name = 'DatabaseRefused'
}
