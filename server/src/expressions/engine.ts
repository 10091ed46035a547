import { type JsonValue, mapLeaves } from '../base/json/json.ts'
import { memberPath } from '../base/json/member-path.ts'
import { expressionLimits } from '../base/limits.ts'
import { machineMs } from '../base/time/real-time.ts'
import { ExpressionError, positionAt } from './expression-error.ts'
import { createLanguage } from './liquid/language.ts'
import { parseTemplate, rootOf, runTemplate, type Template } from './liquid/template.ts'
import { type ExpressionLimits, Meter } from './meter.ts'
import type { Bindings } from './run.ts'
import { affordableJsonSize, jsonSize, toText } from './text.ts'

export { ExpressionError } from './expression-error.ts'

export interface ExpressionsOptions {
  /** Returns random bytes, for aliases. */
  readonly random: (bytes: number) => Uint8Array
  readonly limits?: Partial<ExpressionLimits>
  /** The time of `'now' | date`. */
  readonly nowMs?: () => number
}

/** The template language: text with `{{ … }}` and `{% … %}` over a token's data. Everything is synchronous. */
export interface Expressions {
  /** True if the text contains anything to evaluate. */
  isExpression(text: string): boolean
  /** Parses without evaluating. @throws {ExpressionError} */
  check(text: string): void
  /** Evaluates to text. @throws {ExpressionError} */
  render(text: string, bindings: Bindings): string
  /**
   * Evaluates to a value. A text that is exactly one `{{ … }}` keeps the type of its value, or gives null; any
   * other text gives text. The value may share objects with the data. @throws {ExpressionError}
   */
  evaluate(text: string, bindings: Bindings): JsonValue | undefined
  /**
   * Returns an `evaluate` for many expressions that share limits beside those of each: what one uses up is missing for the
   * next. The shared limits grow with all of these bindings; each expression is evaluated over one of them.
   * @param steps of all together, before they grow; as many as of one by default
   */
  withSharedLimits(all: readonly Bindings[], steps?: number): (text: string, bindings: Bindings) => JsonValue
  /**
   * Returns the tree with each expression replaced by its value. One that fails or gives null is left out of its object
   * or list; values that are not expressions stay, null too. Returns `undefined` if the tree is a single expression and
   * it fails.
   */
  evaluateTree(tree: JsonValue, bindings: Bindings, onNothing?: OnNothing): JsonValue | undefined
  /** Like `evaluateTree`, and also returns the errors of its expressions. */
  checkTree(tree: JsonValue, bindings: Bindings, onNothing?: OnNothing): CheckedTree
}

/** Called with the path of each expression that gives null or an empty text or fails, and with the reason. */
type OnNothing = (path: string, reason: string) => void

/** An error in one expression of a tree. The path is dotted, with indexes: `name.0.first`. */
interface TreeProblem {
  readonly path: string
  readonly message: string
}

interface CheckedTree {
  readonly value: JsonValue | undefined
  readonly problems: readonly TreeProblem[]
}

const charactersReadPerStep = 8
/** A failure costs making its message; a syntax error also the search for similar names. */
const stepsOfFailure = { syntax: 200, value: 50, limit: 50, internal: 50 }

/** Returns the length of the JSON of data that can be stored: writing it takes less time than counting. */
const wholeSize = (value: JsonValue) =>
  typeof value === 'object' ? JSON.stringify(value).length : jsonSize(value)

/** Further problems of a tree are not collected. */
const mostProblems = 10

export function createExpressions(options: ExpressionsOptions): Expressions {
  const limits = { ...expressionLimits, ...options.limits }
  const language = createLanguage()
  const sources = { random: options.random, nowMs: options.nowMs ?? machineMs }
  const templates = new Map<string, Template>()
  let cachedLength = 0

  /** Keeps parsed templates, and forgets all of them when there are too many: an LRU cache would take a tenth of the time of a mask. */
  function load(text: string): Template {
    const known = templates.get(text)
    if (known) return known
    const template = parseTemplate(text, language, limits)
    if (templates.size === limits.cachedTemplates || cachedLength + text.length > limits.cachedLength) {
      templates.clear()
      cachedLength = 0
    }
    templates.set(text, template)
    cachedLength += text.length
    return template
  }

  function meterFor(all: readonly Bindings[], steps = limits.steps): Meter {
    const sizes = () =>
      all
        .flatMap(({ data, metadata = null }) => [data, metadata])
        .map(value => [value, wholeSize(value)] as const)
    return new Meter({ ...limits, steps }, sizes)
  }

  /** Returns the value of a template, or its text. Every failure becomes an ExpressionError with its position. */
  function run(text: string, bindings: Bindings, meter: Meter, asText = false): JsonValue {
    // Parsing is charged even if the template is cached, so that the cost does not depend on the cache.
    meter.step(1 + text.length / charactersReadPerStep)
    const template = load(text)
    try {
      const value = runTemplate(template, language, bindings, sources, meter)
      if (asText) return toText(value, { meter })
      meter.result(typeof value === 'string' ? value.length : affordableJsonSize(value, { meter }))
      return value
    } catch (thrown) {
      const { error, token } = rootOf(thrown)
      const position = positionAt(text, token?.begin ?? 0)
      if (!(error instanceof ExpressionError)) {
        throw new ExpressionError('internal', 'cannot be evaluated', position, error)
      }
      throw error.position ? error : new ExpressionError(error.fault, error.problem, position)
    }
  }

  const isExpression = (text: string) => text.includes('{{') || text.includes('{%')

  function checkTree(tree: JsonValue, bindings: Bindings, onNothing?: OnNothing): CheckedTree {
    const problems: TreeProblem[] = []
    const evaluate = leafEvaluator(bindings)
    const value = mapLeaves(tree, (leaf, path) => {
      if (typeof leaf !== 'string' || !isExpression(leaf)) return leaf
      try {
        const result = evaluate(leaf) ?? undefined
        if (result === undefined) onNothing?.(memberPath(path), 'it gave null')
        if (result === '') onNothing?.(memberPath(path), 'it gave an empty text')
        return result
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error
        onNothing?.(memberPath(path), error.message)
        if (problems.length < mostProblems) problems.push({ path: memberPath(path), message: error.message })
        return undefined
      }
    })
    return { value, problems }
  }

  /**
   * The expressions of a tree share one meter, so that a large tree does not take many times as long. Once it is
   * spent, the remaining expressions are left out without further errors.
   */
  function leafEvaluator(bindings: Bindings) {
    const meter = meterFor([bindings])
    let evaluated = 0
    return (expression: string): JsonValue => {
      if (meter.isSpent || evaluated > limits.treeExpressions) return null
      if (++evaluated > limits.treeExpressions) {
        throw new ExpressionError('limit', `there are more than ${limits.treeExpressions} expressions`)
      }
      try {
        return run(expression, bindings, meter)
      } catch (error) {
        if (!meter.isSpent && error instanceof ExpressionError) meter.step(stepsOfFailure[error.fault])
        throw error
      }
    }
  }

  return {
    isExpression,
    check: text => void load(text),
    render: (text, bindings) => run(text, bindings, meterFor([bindings]), true) as string,
    evaluate: (text, bindings) => run(text, bindings, meterFor([bindings])),
    withSharedLimits(all, steps) {
      const shared = meterFor(all, steps)
      return (text, bindings) => {
        const meter = meterFor([bindings])
        const value = run(text, bindings, meter)
        shared.step(meter.steps)
        shared.result(meter.results)
        return value
      }
    },
    evaluateTree: (tree, bindings, onNothing) => checkTree(tree, bindings, onNothing).value,
    checkTree,
  }
}
