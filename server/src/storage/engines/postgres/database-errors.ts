import { OperatorError } from '../../../base/operator-error.ts'

/** Thrown for a database that cannot be used; the message is for the operator. */
export class DatabaseRefused extends OperatorError {
  override readonly name = 'DatabaseRefused'
}

export class NoSchema extends DatabaseRefused {
  constructor() {
    super(
      'the database has no schema of surrogate-server: run surrogate-server migrate with the same --storage',
    )
  }
}
