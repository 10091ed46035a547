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

// A file of its own, as the package's declarations must not need those of pg.

/** What a migration did, or would do. */
export interface Migrated {
  /** The version before; 0 if there was no schema. */
  readonly from: number
  readonly to: number
  /** On Citus: what its tables need besides, in words that follow "to". */
  readonly placing: readonly string[]
}
