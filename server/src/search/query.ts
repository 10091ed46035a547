import { ServiceError } from '../base/errors.ts'
import type { Area } from '../contract/containers.ts'
import type { TermField } from './terms.ts'

/** Fields that are matched as a whole, without regard to case. */
export const textFields: readonly TermField[] = [
  'id',
  'type',
  'data',
  'fingerprint',
  'created_by',
  'modified_by',
]

export const timeFields = ['created_at', 'modified_at'] as const
export type TimeField = (typeof timeFields)[number]

/**
 * A parsed query. Times are epoch microseconds, both bounds inclusive, open if absent. A token that was never modified is in
 * no range of `modified_at`.
 */
export type SearchQuery =
  | { readonly kind: 'everything' }
  | { readonly kind: 'text'; readonly field: TermField; readonly value: string }
  | { readonly kind: 'metadata'; readonly key: string; readonly value: string }
  | { readonly kind: 'container'; readonly area: Area }
  | { readonly kind: 'time'; readonly field: TimeField; readonly fromUs?: number; readonly toUs?: number }
  | { readonly kind: 'not'; readonly of: SearchQuery }
  | { readonly kind: 'and' | 'or'; readonly of: readonly SearchQuery[] }

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
