import type { Area } from '../access/containers.ts'
import type { TermField } from '../access/terms.ts'

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
