import type { Delegation } from '../../access/delegation.ts'
import { onAbort } from '../../base/flow/event-loop.ts'
import { connectionLimits } from '../../base/limits.ts'
import type { ServiceTransport } from '../../sandbox/sandbox.ts'
import type { Core } from '../pipeline/core.ts'
import type { HeaderNames } from '../pipeline/header-names.ts'
import { problemResponse, tooLargeForFormula } from '../pipeline/problem.ts'

/**
 * Passes the requests of a formula's client to the core, under a delegation. Nothing that the formula sends can name
 * another caller: of its headers only the content type, `accept` and the idempotency key are passed on.
 */
export function serviceTransport(
  core: Core,
  delegation: Delegation,
  headerNames: HeaderNames,
): ServiceTransport {
  const passed = new Set(['content-type', 'accept', headerNames.idempotency])
  const traceHeader = headerNames.trace.toLowerCase()
  return async request => {
    const given = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    const mark = request.path.indexOf('?')
    const response = await core({
      method: request.method.toUpperCase(),
      path: mark < 0 ? request.path : request.path.slice(0, mark),
      query: mark < 0 ? '' : request.path.slice(mark + 1),
      headers: {
        ...Object.fromEntries(given.filter(([name]) => passed.has(name))),
        [traceHeader]: delegation.traceId,
      },
      get isGone() {
        return request.signal?.aborted ?? false
      },
      readBody: async limit => {
        const body = request.body ?? new Uint8Array()
        return body.length > limit ? undefined : body
      },
      holdResponse: () => {},
      onClose: request.signal ? onAbort(request.signal) : () => {},
      delegation,
    })
    const { body } = response
    if (body === undefined || Buffer.byteLength(body) <= connectionLimits.formulaAnswerBytes) return response
    return problemResponse(tooLargeForFormula(), delegation.traceId)
  }
}
