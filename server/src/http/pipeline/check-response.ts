import { ServiceError } from '../../base/errors.ts'
import type { LongPage } from '../../base/page.ts'
import { isProxied } from '../../contract/contract.ts'
import { asInContract } from '../../contract/dialect.ts'
import type { CoreResponse } from '../transport/message.ts'
import type { Exchange, Services } from './exchange.ts'
import { problemResponse } from './problem.ts'

/** Operations whose answers show applications. */
const showsRights = /^(applications|reactors)\.(?!react$)/

/** Checks each item of a long page when it is read. @throws {ServiceError} internal, if one breaks the contract */
export async function* checkItems(
  { validators, headerNames }: Pick<Services, 'validators' | 'headerNames'>,
  { operation, answer, traceId }: Exchange,
  { pagination, data }: LongPage<unknown>,
): AsyncGenerator<unknown> {
  for await (const item of data) {
    const body = JSON.parse(JSON.stringify({ pagination, data: [item] }))
    const headers = { [headerNames.trace]: traceId }
    const fault = operation && validators.findResponseFault(operation, answer?.status ?? 200, headers, body)
    if (fault !== undefined) throw brokenContract(fault)
    yield item
  }
}

const brokenContract = (fault: string) =>
  new ServiceError('internal', `the response breaks the contract: ${fault}`)

/** Replaces a response that breaks the contract by a 500 that says so: under `--dev` nobody should miss it. */
export function checkResponse(
  { validators, headerNames, dialect, log }: Pick<Services, 'validators' | 'headerNames' | 'dialect' | 'log'>,
  { operation, answer, traceId }: Exchange,
  response: CoreResponse,
): CoreResponse {
  // The contract allows any response of another service.
  if (!operation || response.status === 405 || isProxied(operation)) return response
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
