import { invalid, ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import { isTokenId, tokenIdRule } from '../contract/token-id.ts'
import type { TokenType } from '../contract/types.ts'
import { ExpressionError } from '../expressions/engine.ts'
import type { TenantTokens } from './context.ts'
import { holdsData } from './id-holds-data.ts'

/** The number of times that an id expression is evaluated to find a free id before a UUID is used instead. */
const idAttempts = 10

interface ChosenId {
  readonly id: string
  /** True if it was drawn at random for this token, so that no other has it. */
  readonly fresh: boolean
}

/** The members of a new token that its id depends on. */
interface IdInput {
  readonly id?: string | null
  readonly type: TokenType
  readonly data: JsonValue
}

/**
 * Chooses the id of a new token: the one given, one made by the given expression, or a UUID.
 * @throws {ServiceError} validation, for an id that is not valid or that contains the data
 */
// Requirements: TOK-002, TOK-003, TOK-004, TOK-054, TOK-550
export function chooseId(context: TenantTokens, input: IdInput, attempt: number): ChosenId {
  const { id: given, type, data } = input
  if (given === undefined || given === null) return { id: context.random.uuid(), fresh: true }
  if (!context.expressions.isExpression(given)) {
    if (holdsData(given, type, data)) throw invalid('id', holdingData)
    return { id: given, fresh: false }
  }
  if (attempt >= idAttempts) return { id: context.random.uuid(), fresh: true }
  return { id: evaluateId(context, given, input), fresh: false }
}

const holdingData = 'must not be the data, nor contain its card, account or identity number'

/** True if a given id is literal, so that no other can be tried if it is taken. */
export function isTakenIdFinal(context: TenantTokens, given: string | undefined): boolean {
  return given !== undefined && !context.expressions.isExpression(given)
}

/** @param paths of the ids in the request */
export function takenIds(paths: readonly string[]): ServiceError {
  return new ServiceError('conflict', 'a token with this id exists already', {
    errors: Object.fromEntries(paths.map(path => [path, ['is taken by another token']])),
  })
}

/** Evaluates the expression, a second time if the first id contains the data: an alias may by chance. */
function evaluateId(context: TenantTokens, expression: string, { type, data }: IdInput): string {
  for (let draw = 0; draw < 2; draw++) {
    const id = rendered(context, expression, data)
    if (!isTokenId(id)) throw invalid('id', `must evaluate to ${tokenIdRule}`)
    if (!holdsData(id, type, data)) return id
  }
  throw invalid('id', holdingData)
}

function rendered(context: TenantTokens, expression: string, data: JsonValue): string {
  try {
    return context.expressions.render(expression, { data })
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid('id', error.message)
    throw error
  }
}
