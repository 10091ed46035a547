import { LRUCache } from 'lru-cache'
import type { JsonValue } from '../base/json.ts'
import { parseTemplate, type Template } from './compile/template.ts'
import { ExpressionError, positionAt } from './expression-error.ts'
import { allFilters } from './filters/index.ts'
import { defaultLimits, type ExpressionLimits, Meter } from './limits.ts'
import { type Bindings, Run } from './run.ts'
import { affordableJsonSize, jsonSize, toText } from './text.ts'
import { fillTree, type TreeProblem } from './tree.ts'
import { toJson } from './value.ts'

export { ExpressionError } from './expression-error.ts'
export type { ExpressionLimits } from './limits.ts'
export type { Bindings } from './run.ts'
export type { TreeProblem } from './tree.ts'

export interface ExpressionsOptions {
  /** Fresh random bytes, for aliases. */
  readonly random: (bytes: number) => Uint8Array
  readonly limits?: Partial<ExpressionLimits>
  /** What `'now' | date` shows. */
  readonly nowMs?: () => number
  /** The clock that bounds the time of an expression. */
  readonly monotonicMs?: () => number
}

/** The template language: text with `{{ … }}` and `{% … %}` over a token's data. Everything is synchronous. */
export interface Expressions {
  /** Whether there is anything to evaluate in a text. */
  isExpression(text: string): boolean
  /** Reads without evaluating. @throws {ExpressionError} */
  check(text: string): void
  /** Evaluates to text. @throws {ExpressionError} */
  render(text: string, bindings: Bindings): string
  /**
   * Evaluates to a value: a text that is exactly one `{{ … }}` gives the value with its type, null where there
   * is none; any other gives text. The value may share parts with the data. @throws {ExpressionError}
   */
  evaluate(text: string, bindings: Bindings): JsonValue | undefined
  /**
   * `evaluate` for many expressions under one allowance, each over one of these bindings: what is spent on one
   * is not there for the next. The function it gives throws as `evaluate` does.
   */
  sharing(all: readonly Bindings[]): (text: string, bindings: Bindings) => JsonValue
  /** A mask over data, see `fillTree`; never throws for an expression. `undefined` where the whole tree fails. */
  evaluateTree(
    tree: JsonValue,
    bindings: Bindings,
    onError?: (path: string, error: ExpressionError) => void,
  ): JsonValue | undefined
  /** The same, with which expressions of the tree cannot be read, or fail on this data. */
  checkTree(tree: JsonValue, bindings: Bindings): CheckedTree
}

/** What a tree gives, and what is wrong with it. */
export interface CheckedTree {
  readonly value: JsonValue | undefined
  readonly problems: readonly TreeProblem[]
}

const charactersReadPerStep = 8
/** A failure costs its message; what cannot be read costs the search for names near it as well. */
const stepsOfFailure = { syntax: 500, value: 50, limit: 50, internal: 50 }

/** More problems than anyone reads are not collected. */
const mostProblems = 20

export function createExpressions(options: ExpressionsOptions): Expressions {
  const limits = { ...defaultLimits, ...options.limits }
  const surroundings = { random: options.random, nowMs: options.nowMs ?? Date.now }
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const templates = new LRUCache<string, Template>({
    max: limits.cachedTemplates,
    maxSize: limits.cachedLength,
    sizeCalculation: (_, text) => text.length + 1,
  })

  function load(text: string): Template {
    const known = templates.get(text)
    if (known) return known
    const template = parseTemplate(text, allFilters, limits)
    templates.set(text, template)
    return template
  }

  function meterFor(...all: readonly Bindings[]): Meter {
    const size = ({ data, metadata }: Bindings) => jsonSize(data) + jsonSize(metadata ?? null)
    return new Meter(limits, () => all.reduce((sum, bindings) => sum + size(bindings), 0), monotonicMs)
  }

  /** One run of one template, with every failure turned into an ExpressionError that knows its place. */
  function run<T>(
    text: string,
    bindings: Bindings,
    meter: Meter,
    result: (template: Template, run: Run) => T,
  ): T {
    // Reading a template costs time as well; it is paid whether or not it was read before.
    meter.step(1 + text.length / charactersReadPerStep)
    const template = load(text)
    const run = new Run(bindings, surroundings, meter, template.slots)
    try {
      return result(template, run)
    } catch (error) {
      const position = positionAt(text, run.at)
      if (error instanceof ExpressionError) throw new ExpressionError(error.fault, error.problem, position)
      throw new ExpressionError('internal', 'cannot be evaluated', position, error)
    }
  }

  // Requirements: EXP-501
  function toValue({ value, body }: Template, run: Run): JsonValue {
    if (!value) {
      body(run)
      run.meter.result(run.out.length)
      return run.out
    }
    const json = toJson(value(run))
    run.meter.result(typeof json === 'string' ? json.length : affordableJsonSize(json, run))
    return json
  }

  const isExpression = (text: string) => text.includes('{{') || text.includes('{%')

  /**
   * The expressions of a tree share one meter: a tree of many may not take many times as long. Once it is spent,
   * the rest is left out without a word: one problem says so.
   */
  function leafEvaluator(bindings: Bindings) {
    const meter = meterFor(bindings)
    let evaluated = 0
    return (expression: string): JsonValue => {
      if (meter.isSpent || evaluated > limits.treeExpressions) return null
      if (++evaluated > limits.treeExpressions) {
        throw new ExpressionError('limit', `there are more than ${limits.treeExpressions} expressions`)
      }
      try {
        return run(expression, bindings, meter, toValue)
      } catch (error) {
        if (!meter.isSpent && error instanceof ExpressionError) meter.step(stepsOfFailure[error.fault])
        throw error
      }
    }
  }

  return {
    isExpression,
    check: text => void load(text),
    render: (text, bindings) =>
      run(text, bindings, meterFor(bindings), (template, run) => {
        if (template.value) run.write(toText(toJson(template.value(run)), run))
        else template.body(run)
        return run.out
      }),
    evaluate: (text, bindings) => run(text, bindings, meterFor(bindings), toValue),
    sharing(all) {
      const meter = meterFor(...all)
      return (text, bindings) => run(text, bindings, meter, toValue)
    },
    evaluateTree: (tree, bindings, onError = () => {}) =>
      fillTree(tree, { isExpression, evaluate: leafEvaluator(bindings), onError }),
    checkTree(tree, bindings) {
      const problems: TreeProblem[] = []
      const onError = (path: string, { message }: ExpressionError) => {
        if (problems.length < mostProblems) problems.push({ path, message })
      }
      const value = fillTree(tree, { isExpression, evaluate: leafEvaluator(bindings), onError })
      return { value, problems }
    },
  }
}
