import type { Digest, Query } from './port.ts'

export function matchTerm(term: Digest): Query {
  return { op: 'term', term }
}

export function matchAny(of: readonly Query[]): Query {
  const [only] = of
  if (only === undefined) return { op: 'none' }
  return of.length === 1 ? only : { op: 'or', of }
}

export function matchAll(of: readonly Query[]): Query {
  const needed = of.filter(query => query.op !== 'all')
  const [only] = needed
  if (only === undefined) return { op: 'all' }
  return needed.length === 1 ? only : { op: 'and', of: needed }
}
