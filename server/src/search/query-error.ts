import { ServiceError } from '../base/errors.ts'

/** What is wrong with a query, and where. The message says what would be right and repeats no value. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  /** Where in the text, in UTF-16 units from 0. */
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** The refusal a caller is shown. Positions are characters, as the limit on a query counts them, from 1. */
// Requirements: SEA-018
export function toRefusal(error: QueryError, text: string): ServiceError {
  const position = [...text.slice(0, error.offset)].length + 1
  const message = `${error.message} (at position ${position})`
  return new ServiceError('invalid_query', `query: ${message}`, { errors: { query: [message] } })
}
