import type { Delegation } from '../access/delegation.ts'
import { ServiceError } from '../base/errors.ts'
import type { ServiceResponse, ServiceTransport } from '../sandbox/sandbox.ts'
import type { Core } from './core.ts'
import { problemResponse } from './problem.ts'

/** What an answer may be long, in bytes: as much as a formula may answer itself, and what JSON puts around it. */
const largestAnswerBytes = 6 * 1024 * 1024

/**
 * Answers what a formula's client asks for by the same core that answers everyone, in the name it was made for.
 * Nothing the formula sends says who asks: of its headers only these go on.
 *
 * @param idempotencyHeader in lower case
 * @param traceHeader in lower case
 */
export function serviceTransport(
  core: Core,
  behalf: Delegation,
  idempotencyHeader: string,
  traceHeader: string,
): ServiceTransport {
  const passed = new Set(['content-type', 'accept', idempotencyHeader])
  return async request => {
    const given = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    const mark = request.path.indexOf('?')
    const response = await core({
      method: request.method.toUpperCase(),
      path: mark < 0 ? request.path : request.path.slice(0, mark),
      query: mark < 0 ? '' : request.path.slice(mark + 1),
      headers: {
        ...Object.fromEntries(given.filter(([name]) => passed.has(name))),
        [traceHeader]: behalf.traceId,
      },
      readBody: async limit => {
        const body = request.body ?? new Uint8Array()
        return body.length > limit ? undefined : body
      },
      onBehalf: behalf,
    })
    return withinBounds(response, behalf.traceId)
  }
}

function withinBounds(response: ServiceResponse, traceId: string): ServiceResponse {
  if (response.body === undefined || Buffer.byteLength(response.body) <= largestAnswerBytes) return response
  const error = new ServiceError('payload_too_large', 'the answer is too large for a formula; ask for less')
  return problemResponse(error, traceId)
}
