import { ServiceError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { LongPage } from '../base/page.ts'
import { isProxied, type Operation } from '../contract/contract.ts'
import { asInContract, type Dialect } from '../contract/dialect.ts'
import type { Validators } from '../contract/validators.ts'
import type { Exchange } from '../http/pipeline/exchange.ts'
import type { HeaderNames } from '../http/pipeline/header-names.ts'
import { problemResponse } from '../http/pipeline/problem.ts'
import { longPageOf } from '../http/pipeline/respond.ts'
import type { CoreResponse } from '../http/transport/message.ts'

/** Operations whose answers show applications. */
const showsRights = /^(applications|reactors)\.(?!react$)/

const brokenContract = (fault: string) =>
  new ServiceError('internal', `the response breaks the contract: ${fault}`)

interface CheckParts {
  readonly validators: Pick<Validators, 'findResponseFault'>
  readonly headerNames: Pick<HeaderNames, 'trace'>
}

/** Checks each item of a long page when it is read. @throws {ServiceError} internal, if one breaks the contract */
export async function* checkItems(
  { validators, headerNames }: CheckParts,
  { answer, traceId }: Exchange,
  operation: Operation,
  { pagination, data }: LongPage<unknown>,
): AsyncGenerator<unknown> {
  for await (const item of data) {
    const body = JSON.parse(JSON.stringify({ pagination, data: [item] }))
    const headers = { [headerNames.trace]: traceId }
    const fault = validators.findResponseFault(operation, answer?.status ?? 200, headers, body)
    if (fault !== undefined) throw brokenContract(fault)
    yield item
  }
}

/** Replaces a response that breaks the contract by a 500 that says so, as nobody should miss it. */
export function checkResponse(
  parts: CheckParts & { readonly dialect: Dialect | undefined; readonly log: Log },
  { operation, answer, refusal, request, traceId }: Exchange,
  response: CoreResponse,
): CoreResponse {
  const { validators, headerNames, dialect, log } = parts
  // The contract allows any response of another service. The items of a long page are checked one by one.
  if (!operation || isProxied(operation) || (longPageOf(answer) && !refusal)) return response
  // Those are no answers of the operation: the limit on what a formula gets is none of its contract.
  if (response.status === 405 || (request.delegation && response.status === 413)) return response
  const sent = typeof response.body === 'string' ? JSON.parse(response.body) : undefined
  const isRights = dialect && showsRights.test(operation.id) && sent !== undefined
  const body = isRights ? asInContract(dialect, sent) : sent
  const headers = { ...response.headers, [headerNames.trace]: traceId }
  const status = answer?.chosen ? 'default' : response.status
  const fault = validators.findResponseFault(operation, status, headers, body)
  if (fault === undefined) return response
  log.error('response breaks the contract', { trace: traceId, fault })
  return problemResponse(brokenContract(fault), traceId)
}
