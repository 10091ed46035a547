import type { TopLevelToken } from 'liquidjs'
import { ExpressionError, positionAt, SyntaxFault, unexpectedText } from '../expression-error.ts'
import type { Filters } from '../filters/filter.ts'
import type { Evaluate, ExpressionLimits, Node } from '../run.ts'
import { defaultOptions, LiquidError, Tokenizer, TypeGuards } from './liquidjs.ts'
import { sequence } from './nodes.ts'
import type { Compiling } from './operand.ts'
import { compileOutput, TemplateParser } from './parser.ts'
import { Scope } from './scope.ts'

/** A compiled template. It can be run any number of times. */
export interface Template {
  /** The number of its variables. */
  readonly slots: number
  /** Set if the text is exactly one `{{ … }}`: the value keeps its type. */
  readonly value?: Evaluate
  readonly body: Node
}

/** @throws {ExpressionError} if the text is too long or not valid */
export function parseTemplate(text: string, filters: Filters, limits: ExpressionLimits): Template {
  if (text.length > limits.templateLength) {
    throw new ExpressionError('limit', `an expression has at most ${limits.templateLength} characters`)
  }
  const scope = new Scope()
  try {
    const tokens = new Tokenizer(text).readTopLevelTokens(defaultOptions)
    refuseDeepBrackets(tokens, limits.nesting)
    const compiling: Compiling = { scope, filters, operands: limits.operands }
    const [only, ...more] = tokens
    if (only && more.length === 0 && TypeGuards.isOutputToken(only)) {
      const value = compileOutput(only, compiling)
      scope.finish()
      return { slots: scope.size, value, body: () => undefined }
    }
    const nodes = new TemplateParser(tokens, compiling, limits.nesting).whole()
    scope.finish()
    return { slots: scope.size, body: sequence(nodes) }
  } catch (error) {
    throw asExpressionError(error, text)
  }
}

/** Nested brackets are parsed by recursion; a template must not exhaust the stack. */
function refuseDeepBrackets(tokens: readonly TopLevelToken[], nesting: number): void {
  for (const token of tokens) {
    if (TypeGuards.isHTMLToken(token)) continue
    let depth = 0
    let quote = ''
    for (let offset = token.begin; offset < token.end; offset++) {
      const character = token.input.charAt(offset)
      if (quote !== '') {
        if (character === quote) quote = ''
        else if (character === '\\') offset++
      } else if (character === '"' || character === "'") quote = character
      else if (character === '(' || character === '[') depth++
      else if (character === ')' || character === ']') depth--
      if (depth > nesting) throw new SyntaxFault('brackets are nested too deeply', offset)
    }
  }
}

function asExpressionError(error: unknown, text: string): ExpressionError {
  if (error instanceof SyntaxFault) {
    return new ExpressionError('syntax', error.message, positionAt(text, error.offset))
  }
  if (error instanceof RangeError) return new ExpressionError('limit', 'is nested too deeply')
  if (!LiquidError.is(error)) return new ExpressionError('internal', 'cannot be parsed', undefined, error)
  const offset = (error as { token?: { begin?: number } }).token?.begin ?? 0
  // Messages of liquidjs quote the template, which may contain sensitive values.
  const wording = wordings.find(([beginning]) => error.message.startsWith(beginning))
  return new ExpressionError('syntax', wording?.[1] ?? 'cannot be parsed', positionAt(text, offset))
}

const wordings: readonly (readonly [string, string])[] = [
  ['output', '"{{" is not closed'],
  ['tag', '"{%" is not closed'],
  ['raw', '"raw" is not closed'],
  ['illegal', 'the name of a tag is missing'],
  ['invalid value', 'a value is missing'],
  ['unexpected token', 'a value is missing'],
  ['unexpected character', unexpectedText],
  ['invalid range', 'not a range; write (first..last)'],
  ['[ not closed', '"]" is missing'],
  ['expected "|"', '"|" is missing before a filter'],
  ['expected ":"', '":" is missing after the name of a filter'],
  ['expected filter', 'the name of a filter is missing'],
]
