import type { Token } from 'liquidjs'
import { ExpressionError, SyntaxFault } from '../expression-error.ts'
import type { Filters } from '../filters/filter.ts'
import type { Evaluate } from '../run.ts'
import { member } from '../text.ts'
import { blank, empty, toNumber, type Value } from '../value.ts'
import { TypeGuards } from './liquidjs.ts'
import type { Scope } from './scope.ts'

const { isLiteralToken, isNumberToken, isPropertyAccessToken, isQuotedToken, isRangeToken } = TypeGuards

/** The context in which the parts of a template are compiled. */
export interface Compiling {
  readonly scope: Scope
  readonly filters: Filters
  readonly operands: number
}

const literals: Record<string, Value> = { true: true, false: false, nil: null, null: null, empty, blank }

export function compileOperand(token: Token, compiling: Compiling): Evaluate {
  if (isQuotedToken(token)) return constant(textOf(token))
  if (isNumberToken(token)) {
    if (!Number.isFinite(token.content)) throw new SyntaxFault('the number is too large', token.begin)
    const { content } = token
    if (!token.getText().includes('.')) return constant(content)
    return run => {
      run.isDecimal = true
      return content
    }
  }
  if (isLiteralToken(token)) return constant(literals[token.literal] ?? null)
  if (isRangeToken(token)) return compileRange(token, compiling)
  if (isPropertyAccessToken(token)) return compilePath(token, compiling)
  throw new SyntaxFault('not a value', token.begin)
}

function constant(value: Value): Evaluate {
  return () => value
}

function textOf(token: Token & { readonly content: string }): string {
  if (!isClosed(token.getText())) throw new SyntaxFault('a quote is not closed', token.begin)
  if (!token.content.isWellFormed()) {
    throw new SyntaxFault('the text contains half of a surrogate pair', token.begin)
  }
  return token.content
}

/** Checks the closing quote, since liquidjs accepts any character at the end of a tag as one. */
function isClosed(source: string): boolean {
  let escaped = false
  for (const character of source.slice(1, -1)) escaped = !escaped && character === '\\'
  return source.length > 1 && source.at(-1) === source[0] && !escaped
}

type RangeToken = Token & { readonly lhs: Token; readonly rhs: Token }

function compileRange(token: RangeToken, compiling: Compiling): Evaluate {
  const first = compileOperand(token.lhs, compiling)
  const last = compileOperand(token.rhs, compiling)
  return run => {
    const start = Math.trunc(toNumber(first(run)))
    const length = Math.max(Math.trunc(toNumber(last(run))) - start + 1, 0)
    run.at = token.begin
    if (length > run.meter.rangeLength || !Number.isSafeInteger(start + length)) {
      throw new ExpressionError('limit', `a range has more than ${run.meter.rangeLength} numbers`)
    }
    run.meter.elements(length)
    return Array.from({ length }, (_, index) => start + index)
  }
}

type PathToken = Token & { readonly variable?: Token | undefined; readonly props: readonly Token[] }

function compilePath(token: PathToken, compiling: Compiling): Evaluate {
  const text = token.getText()
  if (text.endsWith('.')) throw new SyntaxFault('a name is missing after the last "."', token.end - 1)
  const props = [...token.props]
  let value: Evaluate
  if (token.variable) {
    value = compileOperand(token.variable, compiling)
  } else {
    const root = props.shift()
    if (!root || !('content' in root) || typeof root.content !== 'string') {
      throw new SyntaxFault('the name of a variable must be written out', token.begin)
    }
    if (!TypeGuards.isWordToken(root)) expectBracket(root)
    value = compiling.scope.read(root.content, token.begin)
  }
  for (const prop of props) value = compileMember(value, prop, compiling)
  return value
}

function compileMember(owner: Evaluate, prop: Token, compiling: Compiling): Evaluate {
  if (TypeGuards.isWordToken(prop)) {
    const name = prop.getText()
    if (name === '') throw new SyntaxFault('a name or number is missing in "[]"', prop.begin)
    return run => {
      run.meter.step()
      return member(owner(run), name, run)
    }
  }
  expectBracket(prop)
  const name = compileOperand(prop, compiling)
  return run => {
    run.meter.step()
    return member(owner(run), name(run), run)
  }
}

/** Checks the closing bracket, since liquidjs ignores text between a value and its bracket. */
function expectBracket({ input, end }: Token): void {
  if (!input.slice(end).trimStart().startsWith(']')) throw new SyntaxFault('"]" is missing', end)
}
