import type { Digest, Query } from './port.ts'

interface Searched {
  readonly terms: readonly Digest[]
  readonly createdUs: number
  readonly modifiedUs?: number | undefined
}

/** True if a document is one of those that a query asks for. For engines that look at each document. */
export function matches(query: Query, id: Digest, document: Searched): boolean {
  switch (query.op) {
    case 'all':
      return true
    case 'none':
      return false
    case 'term':
      return document.terms.includes(query.term)
    case 'ids':
      return query.ids.includes(id)
    case 'created':
    case 'modified': {
      const { fromUs = Number.NEGATIVE_INFINITY, toUs = Number.POSITIVE_INFINITY } = query
      const us = query.op === 'created' ? document.createdUs : document.modifiedUs
      return us !== undefined && us >= fromUs && us <= toUs
    }
    case 'and':
      return query.of.every(part => matches(part, id, document))
    case 'or':
      return query.of.some(part => matches(part, id, document))
    case 'not':
      return !matches(query.of, id, document)
  }
}
