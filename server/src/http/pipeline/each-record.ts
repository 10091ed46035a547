import { invalid, ServiceError } from '../../base/errors.ts'
import type { JsonValue } from '../../base/json/json.ts'
import { limits } from '../../generated/facts.ts'
import type { Answer } from '../transport/message.ts'
import type { Exchange } from './exchange.ts'

/** Returns the records of a request that asks for the outcome of each: bodies of requests of their own. @throws {ServiceError} validation */
// Requirements: TKZ-506
export function recordsOf({ body }: Pick<Exchange, 'body'>): readonly JsonValue[] {
  if (Array.isArray(body) && body.length > 0 && body.length <= limits.payloadTokens) return body
  throw invalid(
    'body',
    `must be a list of 1 to ${limits.payloadTokens} records, as the outcome of each is asked for`,
  )
}

/** The outcome of a record. */
interface Outcome {
  readonly status: number
  readonly body?: unknown
  readonly problem?: unknown
}

/**
 * Performs the requests of records one after another, and resolves with the outcome of each. Records are not begun once
 * the results are as long as a response may be.
 * @param refuse records an error and returns its problem document
 */
export async function performEach(
  requests: readonly (() => Promise<Answer>)[],
  refuse: (error: unknown) => Outcome,
): Promise<Answer> {
  const results: Outcome[] = []
  let bytes = 0
  for (const perform of requests) {
    let outcome: Outcome
    try {
      if (bytes > limits.detokenizedBytes) throw resultsTooLarge()
      const { status, body } = await perform()
      outcome = { status, body }
      bytes += Buffer.byteLength(JSON.stringify(outcome))
    } catch (error) {
      outcome = refuse(error)
    }
    results.push(outcome)
  }
  return { status: 207, body: { results } }
}

function resultsTooLarge(): ServiceError {
  const detail = `the results of the records before come to more than ${limits.detokenizedBytes} bytes; send this record again`
  return new ServiceError('payload_too_large', detail)
}
