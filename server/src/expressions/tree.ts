import { isJsonObject, type JsonValue } from '../base/json.ts'
import { memberPath } from '../base/member-path.ts'
import { ExpressionError } from './expression-error.ts'

/** An error in one expression of a tree. The path is dotted, with indexes: `name.0.first`. */
export interface TreeProblem {
  readonly path: string
  readonly message: string
}

export interface TreeFilling {
  isExpression(text: string): boolean
  /** @throws {ExpressionError} */
  evaluate(expression: string): JsonValue
  onError(path: string, error: ExpressionError): void
}

/**
 * Returns the tree with each expression replaced by its value. An expression that fails or gives null is left out
 * of its object or list, so later elements of a list move up. Values that are not expressions stay, null too.
 */
export function fillTree(tree: JsonValue, filling: TreeFilling): JsonValue | undefined {
  const path: (string | number)[] = []

  function leaf(expression: string): JsonValue | undefined {
    try {
      return filling.evaluate(expression) ?? undefined
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      filling.onError(memberPath(path), error)
      return undefined
    }
  }

  function below(step: string | number, value: JsonValue): JsonValue | undefined {
    path.push(step)
    const filled = fill(value)
    path.pop()
    return filled
  }

  function fill(value: JsonValue): JsonValue | undefined {
    if (typeof value === 'string') return filling.isExpression(value) ? leaf(value) : value
    if (Array.isArray(value)) {
      return value.map((element, index) => below(index, element)).filter(filled => filled !== undefined)
    }
    if (!isJsonObject(value)) return value
    const members: [string, JsonValue][] = []
    for (const [name, element] of Object.entries(value)) {
      const filled = below(name, element)
      if (filled !== undefined) members.push([name, filled])
    }
    // `Object.fromEntries` defines members instead of assigning them, so `__proto__` is an ordinary member.
    return Object.fromEntries(members)
  }

  return fill(tree)
}
