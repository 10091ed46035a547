import fc from 'fast-check'
import type { Query } from '../../port/port.ts'

/** Random queries that combine such conditions. */
export function queriesOf(leaf: fc.Arbitrary<Query>): fc.Arbitrary<Query> {
  const { query } = fc.letrec<{ query: Query }>(tie => ({
    query: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      leaf,
      fc.array(tie('query'), { maxLength: 3 }).map((of): Query => ({ op: 'and', of })),
      fc.array(tie('query'), { maxLength: 3 }).map((of): Query => ({ op: 'or', of })),
      tie('query').map((of): Query => ({ op: 'not', of })),
    ),
  }))
  return query
}
