import { OperatorError } from '../../../base/operator-error.ts'

/** The database cannot be used as it is; the message is one sentence for the operator. */
export class DatabaseRefused extends OperatorError {
  override readonly name = 'DatabaseRefused'
}
