import type { Liquid, Template as LiquidTemplate, Value } from 'liquidjs'
import type { JsonValue } from '../../base/json/json.ts'
import { ExpressionError, positionAt, SyntaxFault, unexpectedText } from '../expression-error.ts'
import type { ExpressionLimits, Meter } from '../meter.ts'
import { type Bindings, Run, type Sources } from '../run.ts'
import { member } from '../text.ts'
import { toJson } from '../value.ts'
import { TemplateChecker } from './check.ts'
import { LiquidError, Output, TypeGuards, toValueSync } from './liquidjs.ts'
import { StrictParser } from './parser.ts'

/** A parsed and checked template. It can be run any number of times. */
export interface Template {
  readonly parts: readonly LiquidTemplate[]
  /** Set if the text is exactly one `{{ … }}`: the value keeps its type. */
  readonly value?: Value
  /** Set if that begins with a path into `data`, such as `data.a.b`. It is read without liquidjs, which takes longer. */
  readonly path?: readonly string[]
}

/** @throws {ExpressionError} if the text is too long or not valid */
export function parseTemplate(text: string, language: Liquid, limits: ExpressionLimits): Template {
  if (text.length > limits.templateLength) {
    throw new ExpressionError('limit', `an expression has at most ${limits.templateLength} characters`)
  }
  try {
    const parts = new StrictParser(language, limits.nesting).parse(text)
    new TemplateChecker(limits.operands).check(parts)
    const [only] = parts
    if (parts.length !== 1 || !(only instanceof Output)) return { parts }
    const path = plainPath(only.value)
    return { parts, value: only.value, ...(path && { path }) }
  } catch (error) {
    throw asExpressionError(error, text)
  }
}

function plainPath({ initial }: Value): string[] | undefined {
  const [token, more] = initial.postfix
  if (!token || more || !TypeGuards.isPropertyAccessToken(token) || token.variable) return undefined
  const [root, ...names] = token.props.map(prop =>
    TypeGuards.isWordToken(prop) ? prop.getText() : undefined,
  )
  return root === 'data' && names.every(name => name !== undefined) ? names : undefined
}

/** Returns the value of a single output, else the text that the template writes. */
// Requirements: EXP-501
export function runTemplate(template: Template, language: Liquid, ...given: RunArguments): JsonValue {
  const { parts, value, path } = template
  if (value && path) {
    const [{ data }, , meter] = given
    let result: unknown = readPath(data, path, meter)
    if (value.filters.length === 0) return toJson(result)
    const run = new Run(language, ...given)
    for (const filter of value.filters) result = toValueSync(filter.render(result, run))
    return toJson(result)
  }
  const run = new Run(language, ...given)
  if (value) return toJson(toValueSync(value.value(run)))
  toValueSync(language.renderer.renderTemplates([...parts], run, run))
  return run.buffer
}

type RunArguments = [bindings: Bindings, sources: Sources, meter: Meter]

function readPath(data: JsonValue, path: readonly string[], meter: Meter): JsonValue {
  const metered = { meter }
  let value = data
  for (const name of path) {
    meter.step()
    value = member(value, name, metered)
  }
  return value
}

/** Returns the error at the bottom of those that liquidjs makes, which quote the template, and its token. */
export function rootOf(given: unknown): { readonly error: unknown; readonly token?: Place } {
  if (!LiquidError.is(given)) return { error: given }
  const { token, originalError } = given as { token?: Place; originalError?: unknown }
  if (originalError === undefined) return { error: given, ...(token && { token }) }
  return { ...(token && { token }), ...rootOf(originalError) }
}

/** The part of a template at which an error happened; only a tag has a name. */
interface Place {
  readonly begin: number
  readonly name?: string
}

function asExpressionError(given: unknown, text: string): ExpressionError {
  const { error, token } = rootOf(given)
  const position = positionAt(text, error instanceof SyntaxFault ? error.offset : (token?.begin ?? 0))
  if (error instanceof SyntaxFault) return new ExpressionError('syntax', error.message, position)
  if (error instanceof RangeError) return new ExpressionError('limit', 'is nested too deeply')
  if (!(error instanceof Error)) return new ExpressionError('internal', 'cannot be parsed', undefined, error)
  if (token?.name && error.message.endsWith('not closed')) {
    return new ExpressionError('syntax', `"${token.name}" is not closed`, position)
  }
  // Messages of liquidjs quote the template, which may contain sensitive values.
  const wording = wordings.find(([beginning]) => error.message.startsWith(beginning))
  if (!wording) return new ExpressionError('internal', 'cannot be parsed', undefined, error)
  return new ExpressionError('syntax', wording[1], position)
}

const wordings: readonly (readonly [string, string])[] = [
  ['output', '"{{" is not closed'],
  ['tag', '"{%" is not closed'],
  ['raw', '"raw" is not closed'],
  ['illegal', 'the name of a tag is missing'],
  ['invalid value', 'a value is missing'],
  ['invalid capture', 'the name of a variable is missing'],
  ['unexpected token', 'a value is missing'],
  ['unexpected character', unexpectedText],
  ['invalid range', 'not a range; write (first..last)'],
  ['[ not closed', '"]" is missing'],
  ['expected "|"', '"|" is missing before a filter'],
  ['expected ":"', '":" is missing after the name of a filter'],
  ['expected filter', 'the name of a filter is missing'],
  ['expected variable', 'the name of a variable is missing'],
  ['expected "="', '"=" is missing after the name'],
]
