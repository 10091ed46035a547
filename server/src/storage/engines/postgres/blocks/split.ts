import type { Digest, Query } from '../../../port/port.ts'
import { alternatives, conjuncts } from '../where.ts'

/** The parts of a query that blocks cannot tell. */
interface Special {
  readonly terms: readonly Digest[]
  /** Conditions on ids and times of modification. */
  readonly others: readonly Query[]
}

/** Returns the terms of a query. */
export function termsOf(query: Query): Set<Digest> {
  if (query.op === 'term') return new Set([query.term])
  if (query.op === 'not') return termsOf(query.of)
  if (query.op === 'and' || query.op === 'or') return new Set(query.of.flatMap(part => [...termsOf(part)]))
  return new Set()
}

/**
 * Splits a query into the part that blocks can tell, in which conditions on anything else are never true, and those
 * conditions. The part and the query differ only for documents that fulfil one of these conditions.
 */
export function split(
  query: Query,
  isFolded: (term: Digest) => boolean,
): { readonly part: Query; readonly special: Special } {
  const terms = new Set<Digest>()
  const others: Query[] = []
  const partOf = (one: Query): Query => {
    switch (one.op) {
      case 'term':
        if (isFolded(one.term)) return one
        terms.add(one.term)
        return { op: 'none' }
      case 'ids':
      case 'modified':
        others.push(one)
        return { op: 'none' }
      case 'and':
      case 'or':
        return { op: one.op, of: one.of.map(partOf) }
      case 'not':
        return { op: 'not', of: partOf(one.of) }
      default:
        return one
    }
  }
  const part = partOf(query)
  return { part, special: { terms: [...terms], others } }
}

/**
 * Estimates how many documents have to be visited if they are counted row by row; `matches` has the numbers of folded
 * terms. Anything that leads to few documents is 0, and so is a time of modification, as blocks do not know it.
 */
export function estimate(query: Query, matches: ReadonlyMap<Digest, number>): number {
  switch (query.op) {
    case 'term':
      return matches.get(query.term) ?? 0
    case 'none':
    case 'ids':
    case 'modified':
      return 0
    case 'and':
      return Math.min(...conjuncts(query).map(part => estimate(part, matches)))
    case 'or':
      return alternatives(query.of).reduce((sum, part) => sum + estimate(part, matches), 0)
    default:
      return Number.POSITIVE_INFINITY
  }
}
