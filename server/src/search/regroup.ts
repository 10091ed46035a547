import type { AST, Node } from 'lucene'
import type { SearchQuery } from './query.ts'

/**
 * Groups what lucene parsed by rank: NOT before AND before OR. lucene binds operators to the right, whatever they are:
 * `a AND b OR c` is `a AND (b OR c)` to it. Such a chain becomes alternatives (OR) of conjunctions (AND).
 */
// Requirements: SEA-501
export function regroup(chain: AST, clauses: readonly SearchQuery[]): SearchQuery {
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
