import { isEverywhere } from '../contract/containers.ts'
import { matchAll, matchAny, matchTerm, type Query } from '../storage/port/port.ts'
import type { TenantRecords } from '../storage/records/records.ts'
import type { SearchQuery } from './query.ts'
import { areaTerm, capitalsTerm, fieldTerm, metadataTerm } from './terms.ts'

/** Replaces fields and values of a query by terms of one tenant. */
export function compileSearch(store: TenantRecords, query: SearchQuery): Query {
  switch (query.kind) {
    case 'everything':
      return { op: 'all' }
    // Requirements: SEA-020, SEA-021, SEA-022, SEA-024
    case 'text':
      if (query.field === 'id') return matchId(store, query.value)
      return matchTerm(fieldTerm(store, query.field, query.value))
    case 'metadata':
      return matchTerm(metadataTerm(store, query.key, query.value))
    case 'container':
      return isEverywhere(query.area) ? { op: 'all' } : matchTerm(areaTerm(store, query.area))
    // Requirements: SEA-023, SEA-024
    case 'time': {
      const { field, kind: _, ...bounds } = query
      return { op: field === 'created_at' ? 'created' : 'modified', ...bounds }
    }
    case 'not':
      return { op: 'not', of: compileSearch(store, query.of) }
    // Requirements: SEA-003
    case 'and':
      return matchAll(query.of.map(part => compileSearch(store, part)))
    // Requirements: SEA-004
    case 'or':
      return matchAny(query.of.map(part => compileSearch(store, part)))
  }
}

/**
 * Ids in lower case are found by their address, those with capitals by a term of their own. That is read only where
 * there are such ids.
 */
// Requirements: SEA-019
function matchId(store: TenantRecords, id: string): Query {
  return matchAny([
    { op: 'ids', ids: [store.address('token', id.toLowerCase())] },
    matchAll([matchTerm(capitalsTerm(store)), matchTerm(fieldTerm(store, 'id', id))]),
  ])
}
