import { QueryError } from './query.ts'

/** `at` is its position in the text. */
export type QueryToken =
  | { readonly type: 'open' | 'close' | 'and' | 'or' | 'not'; readonly at: number }
  | { readonly type: 'clause'; readonly at: number; readonly field: string; readonly value: RawValue }

export type RawValue = RawText | RawRange

export interface RawText {
  readonly form: 'text'
  readonly at: number
  readonly text: string
}

export interface RawRange {
  readonly form: 'range'
  readonly at: number
  readonly from: RawBound
  readonly to: RawBound
}

export interface RawBound {
  readonly at: number
  readonly text: string
  /** A bare `*`: no bound. */
  readonly open: boolean
  readonly included: boolean
}

const isSpace = (character: string) => /\s/.test(character)
const specials = '*?~^"[]{}\\'
const endsName = (character: string) => isSpace(character) || `:()${specials}`.includes(character)
const endsBound = (character: string) => isSpace(character) || '[]{}()"'.includes(character)

/** Advice about syntax of other query languages that this one does not have. */
// Requirements: SEA-503
const advice: Readonly<Record<string, string>> = {
  '+': 'the prefix "+" is not supported: join terms with AND',
  '"': 'a value needs its field before it: field:"value"',
  '[': 'a range needs its field before it: created_at:[START TO END]',
  '{': 'a range needs its field before it: created_at:{START TO END}',
  '/': 'regular expressions are not supported: a term is field:value',
}

// Requirements: SEA-005, SEA-007
const joins: Readonly<Record<string, 'and' | 'or' | 'not'>> = { AND: 'and', OR: 'or', NOT: 'not' }
// Requirements: SEA-005
const signs: Readonly<Record<string, 'open' | 'close' | 'not'>> = {
  '(': 'open',
  ')': 'close',
  '!': 'not',
  '-': 'not',
}

/** Splits a query into its parts, without checking their order. */
export function scan(text: string): QueryToken[] {
  const tokens: QueryToken[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const sign = signs[text.charAt(at)]
    if (sign) {
      tokens.push({ type: sign, at })
      at = skipSpace(text, at + 1)
      continue
    }
    const { token, end } = scanWord(text, at)
    tokens.push(token)
    at = skipSpace(text, end)
  }
  return tokens
}

/** An operator, or a clause `field:value`. */
function scanWord(text: string, at: number): { token: QueryToken; end: number } {
  const first = text.charAt(at)
  const wrong = advice[first]
  if (wrong !== undefined) throw new QueryError(at, wrong)
  const end = endOf(text, at, endsName)
  if (end === at) throw new QueryError(at, `unexpected "${first}": a term is field:value`)
  const word = text.slice(at, end)
  if (text.charAt(end) === ':') {
    const { value, end: valueEnd } = scanValue(text, end + 1, word)
    return { token: { type: 'clause', at, field: word, value }, end: valueEnd }
  }
  const join = joins[word]
  if (join) return { token: { type: join, at }, end }
  if (/^(and|or|not)$/i.test(word)) throw new QueryError(at, 'operators are upper case: AND, OR, NOT')
  if (/^(&&?|\|\|?)$/.test(word)) {
    throw new QueryError(at, `"${word}" is not supported: write ${word.startsWith('&') ? 'AND' : 'OR'}`)
  }
  throw new QueryError(at, 'a term is field:value, and a value with spaces stands in double quotes')
}

function scanValue(text: string, at: number, field: string): { value: RawValue; end: number } {
  const first = text.charAt(at)
  if (first === '' || isSpace(first) || first === ')') {
    throw new QueryError(at, 'a value must follow the colon directly')
  }
  if (first === '(')
    throw new QueryError(at, 'groups of values are not supported: write field:value in each term')
  const { value, end } =
    first === '"'
      ? scanQuoted(text, at)
      : first === '[' || first === '{'
        ? scanRange(text, at)
        : scanPlain(text, at, field)
  const next = text.charAt(end)
  if (next !== '' && !isSpace(next) && next !== '(' && next !== ')') {
    throw new QueryError(end, `unexpected "${next}" behind a value`)
  }
  return { value, end }
}

// Requirements: SEA-008, SEA-506
function scanQuoted(text: string, at: number): { value: RawText; end: number } {
  let value = ''
  for (let next = at + 1; next < text.length; next++) {
    const character = text.charAt(next)
    if (character === '"') return { value: { form: 'text', at, text: value }, end: next + 1 }
    // A backslash before anything else is a backslash.
    if (character === '\\' && /["\\]/.test(text.charAt(next + 1))) next++
    value += text.charAt(next)
  }
  throw new QueryError(at, 'this double quote is not closed')
}

// Requirements: SEA-017
function scanPlain(text: string, at: number, field: string): { value: RawText; end: number } {
  const end = endOf(text, at, character => isSpace(character) || character === '(' || character === ')')
  const value = text.slice(at, end)
  for (let next = at; next < end; next++) {
    const character = text.charAt(next)
    // `readClause` decides where a container may have one.
    if (!specials.includes(character) || (character === '*' && field === 'container')) continue
    const quoted =
      character === '"' ? 'a double quote stands in double quotes as \\"' : 'in double quotes it is literal'
    throw new QueryError(next, `unexpected "${character}" in a value: ${quoted}`)
  }
  if (field !== 'container' && value.length > 1 && value.startsWith('/') && value.endsWith('/')) {
    throw new QueryError(at, 'regular expressions are not supported: in double quotes slashes are literal')
  }
  return { value: { form: 'text', at, text: value }, end }
}

// Requirements: SEA-505
function scanRange(text: string, at: number): { value: RawRange; end: number } {
  const from = scanBound(text, skipSpace(text, at + 1), text.charAt(at) === '[')
  const to = skipSpace(text, from.end)
  const afterTo = skipSpace(text, to + 2)
  if (text.slice(to, to + 2) !== 'TO' || to === from.end || afterTo === to + 2) {
    throw new QueryError(to, 'a range is [START TO END] or {START TO END}')
  }
  const until = scanBound(text, afterTo, false)
  const end = skipSpace(text, until.end)
  const bracket = text.charAt(end)
  if (bracket !== ']' && bracket !== '}') throw new QueryError(end, 'a range ends with "]" or "}"')
  const value = {
    form: 'range',
    at,
    from: from.bound,
    to: { ...until.bound, included: bracket === ']' },
  } as const
  return { value, end: end + 1 }
}

function scanBound(text: string, at: number, included: boolean): { bound: RawBound; end: number } {
  if (text.charAt(at) === '"') {
    const { value, end } = scanQuoted(text, at)
    return { bound: { at, text: value.text, open: false, included }, end }
  }
  const end = endOf(text, at, endsBound)
  if (end === at) throw new QueryError(at, 'a range needs a date, a date-time or "*" on both sides of TO')
  const bound = text.slice(at, end)
  return { bound: { at, text: bound, open: bound === '*', included }, end }
}

function endOf(text: string, at: number, ends: (character: string) => boolean): number {
  let end = at
  while (end < text.length && !ends(text.charAt(end))) end++
  return end
}

function skipSpace(text: string, at: number): number {
  return endOf(text, at, character => !isSpace(character))
}
