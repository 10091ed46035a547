import { ServiceError } from '../base/errors.ts'

/** An error in a query, with its position. The message says what would be right and repeats no value. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  /** In UTF-16 units from 0. */
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Returns the refusal for a caller. Its position is in characters from 1, which is how the limit on a query counts. */
// Requirements: SEA-018
export function toRefusal(error: QueryError, text: string): ServiceError {
  const position = [...text.slice(0, error.offset)].length + 1
  const message = `${error.message} (at position ${position})`
  return new ServiceError('invalid_query', `query: ${message}`, { errors: { query: [message] } })
}
