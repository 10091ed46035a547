import { readMoment, type Span } from '../base/time/date-time.ts'
import { levelsOf, toArea } from '../contract/containers.ts'
import { limits } from '../generated/facts.ts'
import { QueryError, type SearchQuery, type TimeField, textFields, timeFields } from './query.ts'
import type { QueryToken, RawBound, RawRange, RawText, RawValue } from './scan.ts'
import type { TermField } from './terms.ts'

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
export function spellOut(tokens: readonly QueryToken[], end: number): Spelling {
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

const metadataPrefix = 'metadata.'
const containerPath = /^\/([A-Za-z0-9_-]+\/)*$/

const isTextField = (name: string): name is TermField => (textFields as readonly string[]).includes(name)
const isTimeField = (name: string): name is TimeField => (timeFields as readonly string[]).includes(name)

/** Parses `field:value`; `at` is the position of the field. @throws {QueryError} */
function readClause(at: number, field: string, value: RawValue): SearchQuery {
  if (isTimeField(field)) return { kind: 'time', field, ...readTimes(value) }
  const isMetadata = field.startsWith(metadataPrefix)
  if (!isMetadata && field !== 'container' && !isTextField(field)) {
    const fields = [...textFields, 'container', 'metadata.<key>', ...timeFields]
    throw new QueryError(at, `there is no such field; there are ${fields.join(', ')}`)
  }
  if (value.form === 'range') {
    throw new QueryError(value.at, `only ${timeFields.join(' and ')} take a range`)
  }
  if (isTextField(field)) return { kind: 'text', field, value: value.text }
  if (field === 'container') return readContainer(value)
  const key = field.slice(metadataPrefix.length)
  if (key === '') throw new QueryError(at + field.length, 'a key must follow "metadata."')
  return { kind: 'metadata', key, value: value.text }
}

// Requirements: SEA-012, SEA-531
function readContainer({ at, text }: RawText): SearchQuery {
  const below = text.endsWith('*')
  const given = below ? text.slice(0, -1) : text
  if (given.includes('*') || (below && given === '')) {
    throw new QueryError(at, '"*" stands only at the end of a container, as in "/group/*"')
  }
  const path = given.endsWith('/') ? given : `${given}/`
  if (!given.startsWith('/') || !containerPath.test(path)) {
    throw new QueryError(at, 'a container is a path such as "/group/sub/", of letters, digits, "_" and "-"')
  }
  // Requirements: SEA-532
  if (path.length > limits.containerCharacters || levelsOf(path) > limits.containerLevels) {
    throw new QueryError(
      at,
      `a container has at most ${limits.containerCharacters} characters and ${limits.containerLevels} levels`,
    )
  }
  return { kind: 'container', area: toArea(path, below) }
}

// Requirements: SEA-013, SEA-014
function readTimes(value: RawText | RawRange): { fromUs?: number; toUs?: number } {
  if (value.form === 'text') return readTime(value.at, value.text)
  const { from, to } = value
  const first = readBound(from)
  const last = readBound(to)
  return {
    ...(first && { fromUs: from.included ? first.fromUs : first.toUs + 1 }),
    ...(last && { toUs: to.included ? last.toUs : last.fromUs - 1 }),
  }
}

// Requirements: SEA-015
function readBound({ at, text, open }: RawBound): Span | undefined {
  return open ? undefined : readTime(at, text)
}

function readTime(at: number, text: string): Span {
  const span = readMoment(text)
  if (span) return span
  throw new QueryError(at, 'not a date (YYYY-MM-DD) or a UTC date-time (YYYY-MM-DDThh:mm:ssZ)')
}
