import { isJsonObject, type JsonValue } from '../base/json.ts'
import { ExpressionError } from './expression-error.ts'

/** What is wrong with one expression of a tree. The path is dotted, with indexes: `name.0.first`. */
export interface TreeProblem {
  readonly path: string
  readonly message: string
}

/** Evaluates one expression of the tree. @throws {ExpressionError} */
export type EvaluateLeaf = (expression: string) => JsonValue

/**
 * The tree with each expression replaced by its value. An expression that fails or gives null is left out of its
 * object or list, so later elements of a list move up; what is no expression stays as it is, null too.
 */
export function fillTree(
  tree: JsonValue,
  isExpression: (text: string) => boolean,
  evaluate: EvaluateLeaf,
  onError: (path: string, error: ExpressionError) => void,
): JsonValue | undefined {
  const fill = (value: JsonValue, path: readonly string[]): JsonValue | undefined => {
    if (typeof value === 'string') return isExpression(value) ? leaf(value, path) : value
    if (Array.isArray(value)) {
      return value.flatMap((element, index) => {
        const filled = fill(element, [...path, String(index)])
        return filled === undefined ? [] : [filled]
      })
    }
    if (!isJsonObject(value)) return value
    const members: [string, JsonValue][] = []
    for (const [name, element] of Object.entries(value)) {
      const filled = fill(element, [...path, name])
      if (filled !== undefined) members.push([name, filled])
    }
    return Object.fromEntries(members)
  }
  const leaf = (expression: string, path: readonly string[]): JsonValue | undefined => {
    try {
      return evaluate(expression) ?? undefined
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      onError(path.map(step => (plainName.test(step) ? step : '?')).join('.'), error)
      return undefined
    }
  }
  return fill(tree, [])
}

/** Other names are not repeated: what is no name may be a value. */
const plainName = /^[A-Za-z_$][\w$-]{0,63}$|^\d{1,6}$/
