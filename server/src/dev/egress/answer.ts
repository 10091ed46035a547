import { invalid } from '../../base/errors.ts'
import type { Immutable } from '../../contract/types.ts'
import type { DevAnswer } from '../../generated/dev-client/index.ts'

/** What a test gives in the place of a target's response. */
export type GivenAnswer = Immutable<DevAnswer>

/** Refuses an answer that could not be given. @throws {ServiceError} validation */
export function checkAnswer(answer: GivenAnswer): void {
  const { latency: _, ...rest } = answer
  const [first, second] = Object.keys(rest)
  const isAlone = answer.drop ? 'drop' : answer.function === undefined ? undefined : 'function'
  const other = first === isAlone ? second : first
  if (isAlone !== undefined && other !== undefined)
    throw invalid(`answer.${other}`, `cannot be combined with ${isAlone}`)
  if (answer.body !== undefined && answer.body_base64 !== undefined)
    throw invalid('answer.body_base64', 'cannot be combined with body')
  if (answer.body_base64 !== undefined && !/^[\w+/-]*={0,2}$/.test(answer.body_base64))
    throw invalid('answer.body_base64', 'must be base64')
  if (!areHeaders(answer.headers ?? {}))
    throw invalid(
      'answer.headers',
      'must have names and values that HTTP allows, and 16,000 characters at most',
    )
}

/** As a response from the network may have. */
const mostHeaderCharacters = 16_000

function areHeaders(headers: object): boolean {
  if (JSON.stringify(headers).length > mostHeaderCharacters) return false
  try {
    new Headers(Object.entries(headers))
    return true
  } catch {
    return false
  }
}

/** True for what a function may return. */
export function isAnswer(given: unknown): given is GivenAnswer {
  if (typeof given !== 'object' || given === null) return false
  const {
    status = 200,
    headers = {},
    latency = 0,
    body_base64 = '',
  } = given as Readonly<Record<string, unknown>>
  return (
    Number.isInteger(status) &&
    Number(status) >= 200 &&
    Number(status) <= 599 &&
    Number.isFinite(latency) &&
    typeof body_base64 === 'string' &&
    Object.values(Object(headers)).every(value => typeof value === 'string') &&
    areHeaders(Object(headers))
  )
}
