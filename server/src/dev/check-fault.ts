import { type ErrorCode, errorRegistry, invalid } from '../base/errors.ts'
import { didYouMean } from '../base/near-names.ts'
import type { Immutable } from '../contract/types.ts'
import type { DevFaultRequest } from '../generated/dev-client/index.ts'

export type Fault = Immutable<DevFaultRequest>

/** The error that stands for a status: the first of the registry, which is the most general one. */
export function codeOf(status: number): ErrorCode | undefined {
  const found = Object.entries(errorRegistry).find(([, error]) => error.status === status)
  // A 405 has a list of methods, which belongs to the path.
  return status === 405 ? undefined : (found?.[0] as ErrorCode | undefined)
}

const effects = [
  ...(['status', 'drop', 'truncate', 'timeout', 'malformed'] as const),
  ...(['duplicate', 'bytes_per_second'] as const),
]
const requestOnly = [
  ...(['operation', 'id', 'application_id', 'body', 'truncate', 'timeout'] as const),
  ...(['malformed', 'duplicate', 'bytes_per_second', 'retry_after'] as const),
]

/** The statuses of gateways, which the contract does not have. */
export const gatewayStatuses: Readonly<Record<number, string>> = {
  502: 'Bad Gateway',
  504: 'Gateway Timeout',
}

/** As the contract says. */
const longestText = 1000

/** Refuses a name that is not one of an operation, as it would match nothing. @throws {ServiceError} validation */
export function checkOperation(operation: string | undefined, operations: readonly string[]): void {
  if (operation === undefined || operations.includes(operation)) return
  const near = didYouMean(operation, operations)
  const own = operations.filter(one => one.startsWith(`${operation}.`)).join(', ')
  throw invalid('operation', `is not an operation${near || (own && `; its operations are ${own}`)}`)
}

/** Refuses a fault that could not happen, or would never match. @throws {ServiceError} validation */
export function checkFault(fault: Fault, operations: readonly string[]): void {
  const { on = 'request', operation, status, drop, latency, retry_after } = fault
  const [first, second] = effects.filter(name => fault[name] !== undefined)
  if (second !== undefined) throw invalid(second, `cannot be combined with ${first}`)
  checkOperation(operation, operations)
  for (const [path, value] of Object.entries(fault.body ?? {})) {
    if (typeof value === 'string' && value.length > longestText)
      throw invalid(`body.${path}`, `must have at most ${longestText} characters`)
  }
  if (fault.seed !== undefined && fault.rate === undefined) throw invalid('seed', 'needs a rate')
  if (on === 'request') {
    if (first === undefined && latency === undefined)
      throw invalid('body', `must have one of ${effects.join(', ')}, latency`)
    if (fault.reactor_id !== undefined)
      throw invalid('reactor_id', 'is for deliveries and formulas; use operation and id')
    if (status !== undefined && codeOf(status) === undefined && !gatewayStatuses[status])
      throw invalid('status', 'must be a status of an error in the contract, such as 503, or 502 or 504')
    if (retry_after !== undefined && status === undefined) throw invalid('retry_after', 'needs a status')
    return
  }
  const surplus = requestOnly.find(name => fault[name] !== undefined)
  if (surplus !== undefined) throw invalid(surplus, 'is for requests only')
  if (on === 'delivery') {
    if (first === undefined && latency === undefined)
      throw invalid('body', 'must have one of status, drop, latency')
    if (drop === 'after') throw invalid('drop', 'must be before, for a delivery')
  } else if (first !== undefined) throw invalid(first, 'does not apply to a formula, which is then busy')
}
