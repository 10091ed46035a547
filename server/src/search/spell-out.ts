import { limits } from '../generated/facts.ts'
import { readClause } from './clauses.ts'
import { QueryError, type SearchQuery } from './query.ts'
import type { Token } from './scan.ts'

interface Spelling {
  /** The query for lucene: clauses are numbers, and each NOT stands in parentheses with its operand. */
  readonly spelling: string
  /** By their numbers. */
  readonly clauses: readonly SearchQuery[]
}

/**
 * Checks the order of the parts of a query, which lucene does not, and spells it so that lucene cannot misread it: no text
 * of a caller reaches it.
 * @throws {QueryError} if a term or an operator is missing, or a parenthesis is not matched
 */
export function spellOut(tokens: readonly Token[], end: number): Spelling {
  const clauses: SearchQuery[] = []
  const open: { readonly at: number; readonly negated: boolean }[] = []
  let spelling = ''
  let wantsTerm = true
  let negated = false
  const begin = (at: number) => {
    if (!wantsTerm) throw new QueryError(at, 'AND, OR or NOT must stand between two terms')
  }
  for (const token of tokens) {
    const { at } = token
    switch (token.type) {
      case 'clause':
        begin(at)
        spelling += negated ? `(NOT ${clauses.length})` : `${clauses.length}`
        clauses.push(readClause(at, token.field, token.value))
        wantsTerm = false
        negated = false
        break
      // Requirements: SEA-006
      case 'open':
        begin(at)
        if (open.length === limits.queryNesting) {
          throw new QueryError(at, `parentheses may be nested ${limits.queryNesting} deep`)
        }
        open.push({ at, negated })
        spelling += negated ? '(NOT (' : '('
        negated = false
        break
      case 'close': {
        const partner = open.pop()
        if (!partner) throw new QueryError(at, 'unexpected ")": no parenthesis is open')
        if (wantsTerm) throw new QueryError(at, 'a term is missing before this parenthesis')
        spelling += partner.negated ? '))' : ')'
        break
      }
      case 'not':
        // Between two terms it is AND NOT.
        if (!wantsTerm) spelling += ' AND '
        wantsTerm = true
        negated = !negated
        break
      case 'and':
      case 'or':
        if (wantsTerm) throw new QueryError(at, 'a term is missing before this operator')
        spelling += token.type === 'and' ? ' AND ' : ' OR '
        wantsTerm = true
        break
    }
  }
  if (wantsTerm) throw new QueryError(end, 'a term is missing at the end')
  const unclosed = open.pop()
  if (unclosed) throw new QueryError(unclosed.at, 'this parenthesis is not closed')
  return { spelling, clauses }
}
