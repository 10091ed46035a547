import { createRequire } from 'node:module'
import type { AST, Node, parse } from 'lucene'
import { QueryError, type SearchQuery, toRefusal } from './query.ts'
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

/**
 * Groups what lucene parsed by rank: NOT before AND before OR. lucene binds operators to the right, whatever they are:
 * `a AND b OR c` is `a AND (b OR c)` to it. Such a chain becomes alternatives (OR) of conjunctions (AND).
 */
// Requirements: SEA-501
function regroup(chain: AST, clauses: readonly SearchQuery[]): SearchQuery {
  if ('start' in chain && chain.start === 'NOT') return { kind: 'not', of: operand(chain.left, clauses) }
  const alternatives: SearchQuery[][] = [[]]
  const add = (part: AST | Node) => alternatives.at(-1)?.push(operand(part, clauses))
  let rest: AST | Node = chain
  while ('operator' in rest && (rest === chain || !rest.parenthesized)) {
    add(rest.left)
    if (rest.operator === 'OR') alternatives.push([])
    rest = rest.right
  }
  add(rest === chain ? chain.left : rest)
  return join(
    'or',
    alternatives.map(terms => join('and', terms)),
  )
}

function operand(part: AST | Node, clauses: readonly SearchQuery[]): SearchQuery {
  if ('left' in part) return regroup(part, clauses)
  const clause = 'term' in part ? clauses[Number(part.term)] : undefined
  if (!clause) throw new Error('lucene returned a term that was not in the query')
  return clause
}

function join(kind: 'and' | 'or', of: readonly SearchQuery[]): SearchQuery {
  const [only] = of
  return only && of.length === 1 ? only : { kind, of }
}
