import { type FieldErrors, ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import { ExpressionError, type Expressions } from '../expressions/engine.ts'

/**
 * Evaluates the search indexes of a token. Each must be a single value that is neither null nor empty.
 * @throws {ServiceError} validation, naming each expression that is not
 */
export function evaluateIndexes(
  expressions: Expressions,
  indexes: readonly string[],
  data: JsonValue,
): string[] {
  const errors: FieldErrors = {}
  // All of them share the time limit of one.
  const bindings = { data }
  const evaluate = expressions.withSharedLimits([bindings])
  const patterns = indexes.map((index, position) => {
    const outcome = evaluateIndex(() => evaluate(index, bindings))
    if (outcome.problem !== undefined) errors[`search_indexes.${position}`] = [outcome.problem]
    return outcome.pattern ?? ''
  })
  if (Object.keys(errors).length > 0) {
    throw new ServiceError('validation', 'a search index cannot be evaluated on this data', { errors })
  }
  return [...new Set(patterns)]
}

// Requirements: SEA-026
function evaluateIndex(evaluate: () => JsonValue): { pattern?: string; problem?: string } {
  let value: JsonValue
  try {
    value = evaluate()
  } catch (error) {
    if (error instanceof ExpressionError) return { problem: error.message }
    throw error
  }
  if (value === null || value === '') return { problem: 'evaluates to null or an empty text' }
  if (typeof value === 'object')
    return { problem: 'must evaluate to a single value, not to a list or object' }
  return { pattern: String(value) }
}
