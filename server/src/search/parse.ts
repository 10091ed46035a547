import { createRequire } from 'node:module'
import type { AST, Node, parse } from 'lucene'
import { limits } from '../generated/facts.ts'
import { readClause } from './clauses.ts'
import { QueryError, type SearchQuery, toRefusal } from './query.ts'
import { scan, type Token } from './scan.ts'

/**
 * Parses a query. A query without terms asks for everything.
 *
 * The library that parses the structure is lenient: it drops superfluous operators, binds all of them to the right, takes
 * `!` and `-` for parts of a name, and overflows the stack. So the text is scanned and its order checked first. The library
 * gets an unambiguous text in which clauses are numbers, and its result is grouped again: NOT before AND before OR.
 * @throws {ServiceError} invalid_query, with the position
 */
export function parseQuery(text: string): SearchQuery {
  try {
    const tokens = scan(text)
    // Requirements: SEA-002
    if (tokens.length === 0) return { kind: 'everything' }
    const { spelling, clauses } = spellOut(tokens, text.length)
    return regroup(library().parse(spelling), clauses)
  } catch (error) {
    if (error instanceof QueryError) throw toRefusal(error, text)
    throw error
  }
}

const require = createRequire(import.meta.url)

/** Loaded by the first search, as most processes in tests never run one. */
const library = (): { readonly parse: typeof parse } => require('lucene')

interface Spelling {
  readonly spelling: string
  /** By their numbers in the spelling. */
  readonly clauses: readonly SearchQuery[]
}

/** @throws {QueryError} if a term or an operator is missing, or a parenthesis is not matched */
function spellOut(tokens: readonly Token[], end: number): Spelling {
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
        spelling += negate(negated, `clause:"${clauses.length}"`)
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

function negate(negated: boolean, operand: string): string {
  return negated ? `(NOT ${operand})` : operand
}

/** Turns a chain of operators, bound to the right without precedence, into alternatives (OR) of conjunctions (AND). */
// Requirements: SEA-501
function regroup(chain: AST, clauses: readonly SearchQuery[]): SearchQuery {
  const alternatives: SearchQuery[][] = [[]]
  const add = (operand: AST | Node) => alternatives.at(-1)?.push(readOperand(operand, clauses))
  let rest: AST | Node = chain
  while ('operator' in rest && (rest === chain || !rest.parenthesized)) {
    add(rest.left)
    if (rest.operator === 'OR') alternatives.push([])
    rest = rest.right
  }
  if (rest === chain && 'left' in rest) {
    const operand = readOperand(rest.left, clauses)
    return 'start' in rest && rest.start === 'NOT' ? { kind: 'not', of: operand } : operand
  }
  add(rest)
  return join(
    'or',
    alternatives.map(terms => join('and', terms)),
  )
}

function readOperand(operand: AST | Node, clauses: readonly SearchQuery[]): SearchQuery {
  if ('left' in operand) return regroup(operand, clauses)
  const clause = 'term' in operand ? clauses[Number(operand.term)] : undefined
  if (!clause) throw new Error('the parser returned a term that was not in the query')
  return clause
}

function join(kind: 'and' | 'or', of: readonly SearchQuery[]): SearchQuery {
  const [only] = of
  return only && of.length === 1 ? only : { kind, of }
}
