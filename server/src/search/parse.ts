import { createRequire } from 'node:module'
import type { parse } from 'lucene'
import { QueryError, type SearchQuery, toRefusal } from './query.ts'
import { regroup } from './regroup.ts'
import { scan } from './scan.ts'
import { spellOut } from './spell-out.ts'

/**
 * Parses a query. A query without terms asks for everything.
 * @throws {ServiceError} invalid_query, with the position
 */
export function parseQuery(text: string): SearchQuery {
  try {
    const tokens = scan(text)
    // Requirements: SEA-002
    if (tokens.length === 0) return { kind: 'everything' }
    const { spelling, clauses } = spellOut(tokens, text.length)
    const [only] = clauses
    // One term has no structure, and lucene takes longer than the rest of parsing.
    if (only && tokens.length === 1) return only
    return regroup(library().parse(spelling), clauses)
  } catch (error) {
    if (error instanceof QueryError) throw toRefusal(error, text)
    throw error
  }
}

const require = createRequire(import.meta.url)

/** Loaded by the first search that needs it, as most processes in tests never run one. */
const library = (): { readonly parse: typeof parse } => require('lucene')
