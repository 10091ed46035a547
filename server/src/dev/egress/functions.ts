import { invalid } from '../../base/errors.ts'
import type { JsonValue } from '../../base/json/json.ts'

/** A request that leaves the server, as a function of a test gets it: with all data in it. */
interface AskedRequest {
  readonly on: 'formula' | 'proxy' | 'delivery'
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed if it is JSON, an object of texts if it is a form, otherwise a text; `undefined` without one. */
  readonly body: JsonValue | undefined
}

/** Answers a request in the process of the server. */
export type AnswerFunction = (request: AskedRequest) => unknown

/** Functions of tests in this process, by the names under which they were sent: each is taken once. */
export type AnswerFunctions = Map<string, AnswerFunction>

/** @throws {ServiceError} validation */
export function takeFunction(
  functions: AnswerFunctions,
  name: string | undefined,
): AnswerFunction | undefined {
  if (name === undefined) return undefined
  const found = functions.get(name)
  if (!found)
    throw invalid('answer.function', 'names no function of this process: elsewhere, give the answer as data')
  functions.delete(name)
  return found
}
