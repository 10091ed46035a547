import { limits } from '../generated/facts.ts'
import { readClause } from './clauses.ts'
import { QueryError, type SearchQuery, toRefusal } from './query.ts'
import { scan, type Token } from './scan.ts'

/**
 * Parses a query. A query without terms asks for everything.
 * @throws {ServiceError} invalid_query, with the position
 */
export function parseQuery(text: string): SearchQuery {
  try {
    const tokens = scan(text)
    // Requirements: SEA-002
    return tokens.length === 0 ? { kind: 'everything' } : group(tokens, text.length)
  } catch (error) {
    if (error instanceof QueryError) throw toRefusal(error, text)
    throw error
  }
}

/** The whole query, or what is in a parenthesis: alternatives (OR) of conjunctions (AND). */
interface Group {
  readonly at: number
  readonly negated: boolean
  readonly alternatives: SearchQuery[][]
}

/**
 * Groups terms: NOT before AND before OR.
 * @throws {QueryError} if a term or an operator is missing, or a parenthesis is not matched
 */
// Requirements: SEA-501
function group(tokens: readonly Token[], end: number): SearchQuery {
  let current: Group = { at: 0, negated: false, alternatives: [[]] }
  const around: Group[] = []
  let wantsTerm = true
  let negated = false
  const begin = (at: number) => {
    if (!wantsTerm) throw new QueryError(at, 'AND, OR or NOT must stand between two terms')
  }
  const add = (term: SearchQuery, isNegated: boolean) => {
    current.alternatives.at(-1)?.push(isNegated ? { kind: 'not', of: term } : term)
    wantsTerm = false
    negated = false
  }
  for (const token of tokens) {
    const { at } = token
    switch (token.type) {
      case 'clause':
        begin(at)
        add(readClause(at, token.field, token.value), negated)
        break
      // Requirements: SEA-006
      case 'open':
        begin(at)
        if (around.length === limits.queryNesting) {
          throw new QueryError(at, `parentheses may be nested ${limits.queryNesting} deep`)
        }
        around.push(current)
        current = { at, negated, alternatives: [[]] }
        negated = false
        break
      case 'close': {
        const outer = around.pop()
        if (!outer) throw new QueryError(at, 'unexpected ")": no parenthesis is open')
        if (wantsTerm) throw new QueryError(at, 'a term is missing before this parenthesis')
        const closed = current
        current = outer
        add(joined(closed), closed.negated)
        break
      }
      case 'not':
        // Between two terms it is AND NOT.
        wantsTerm = true
        negated = !negated
        break
      case 'and':
      case 'or':
        if (wantsTerm) throw new QueryError(at, 'a term is missing before this operator')
        if (token.type === 'or') current.alternatives.push([])
        wantsTerm = true
        break
    }
  }
  if (wantsTerm) throw new QueryError(end, 'a term is missing at the end')
  if (around.length > 0) throw new QueryError(current.at, 'this parenthesis is not closed')
  return joined(current)
}

function joined({ alternatives }: Group): SearchQuery {
  return join(
    'or',
    alternatives.map(terms => join('and', terms)),
  )
}

function join(kind: 'and' | 'or', of: readonly SearchQuery[]): SearchQuery {
  const [only] = of
  return only && of.length === 1 ? only : { kind, of }
}
