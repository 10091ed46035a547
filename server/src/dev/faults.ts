import { comparableId } from '../base/comparable-id.ts'
import { type ErrorCode, errorRegistry, invalid, ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { didYouMean } from '../base/near-names.ts'
import { seededRandom } from '../base/random.ts'
import type { Immutable } from '../contract/types.ts'
import type { DevFault, DevFaultRequest } from '../generated/dev-client/index.ts'
import type { DevHandlersOf } from './handlers.ts'
import { Waits } from './waits.ts'

export type Fault = Immutable<DevFaultRequest>

/** Something that a fault may match: a request, an attempt of a delivery, or a run of a formula. */
interface Occasion {
  readonly on: NonNullable<Fault['on']>
  readonly tenant: string
  readonly operation?: string | undefined
  readonly id?: string | undefined
  readonly application?: string | undefined
  readonly traceId?: string | undefined
  readonly reactor?: string | undefined
  /** Absent until the body is read. */
  readonly body?: JsonValue | undefined
}

interface Ordered {
  readonly fault: Fault
  /** How many that match are still let through. */
  skip: number
  used: number
  /** Draws if one that matches fails. */
  readonly draw: () => boolean
}

const mostFaults = 1000

/** The faults that tests have ordered, by tenant: one never fires for another tenant. */
export class Faults {
  readonly #ordered = new Map<string, Ordered[]>()
  /** Those of requests and others that a fault holds. */
  readonly #waits = new Waits()

  /** @throws {ServiceError} validation, conflict */
  add(tenant: string, fault: Fault, operations: readonly string[]): DevFault {
    checkFault(fault, operations)
    const ordered = this.#ordered.get(tenant) ?? []
    if (ordered.length >= mostFaults) {
      throw new ServiceError('validation', `there are ${mostFaults} faults already; clear them first`)
    }
    const one = { fault, skip: fault.skip ?? 0, used: 0, draw: drawerOf(fault) }
    this.#ordered.set(tenant, [...ordered, one])
    return shown(one)
  }

  list(tenant: string): DevFault[] {
    return (this.#ordered.get(tenant) ?? []).map(shown)
  }

  /** True until the faults of the tenant are cleared. */
  isOrdered(tenant: string, fault: Fault): boolean {
    return (this.#ordered.get(tenant) ?? []).some(one => one.fault === fault)
  }

  /** Removes the faults of a tenant, and ends those at work. */
  clear(tenant: string): void {
    this.#ordered.delete(tenant)
    this.#waits.end(tenant)
  }

  /** Returns the fault for an occasion, and counts it as used. Those that match by the body wait until it is read. */
  take(occasion: Occasion): Fault | undefined {
    for (const one of this.#ordered.get(occasion.tenant) ?? []) {
      if (one.used >= timesOf(one.fault) || !matches(one.fault, occasion)) continue
      if (one.skip > 0) {
        one.skip--
        continue
      }
      if (!one.draw()) continue
      one.used++
      return one.fault
    }
    return undefined
  }

  /** Waits as `Waits` do. */
  wait(...waiting: Parameters<Waits['wait']>): Promise<void> {
    return this.#waits.wait(...waiting)
  }

  reset(): void {
    this.#ordered.clear()
    this.#waits.endAll()
  }

  close(): void {
    this.#ordered.clear()
    this.#waits.close()
  }
}

const timesOf = ({ times, rate }: Fault) => times ?? (rate === undefined ? 1 : Number.POSITIVE_INFINITY)

/** Returns a function that is true for a fraction of its calls, for the same ones with the same seed. */
function drawerOf({ rate, seed = 0 }: Fault): () => boolean {
  if (rate === undefined) return () => true
  const random = seededRandom(`fault ${seed}`)
  return () => Buffer.from(random.bytes(4)).readUInt32BE() / 2 ** 32 < rate
}

function shown({ fault, used }: Ordered): DevFault {
  const times = timesOf(fault)
  return { fault: { ...fault }, used, left: times === Number.POSITIVE_INFINITY ? 0 : times - used }
}

function matches(fault: Fault, occasion: Occasion): boolean {
  const { on = 'request', operation, id, application_id, trace_id, reactor_id } = fault
  const wanted = [
    [on, occasion.on],
    [operation, occasion.operation],
    [id && comparableId(id), occasion.id && comparableId(occasion.id)],
    [application_id?.toLowerCase(), occasion.application],
    [trace_id, occasion.traceId],
    [reactor_id?.toLowerCase(), occasion.reactor],
  ] as const
  return (
    wanted.every(([given, value]) => given === undefined || given === value) &&
    (fault.body === undefined) === (occasion.body === undefined) &&
    Object.entries(fault.body ?? {}).every(([path, value]) => memberOf(occasion.body, path) === value)
  )
}

/** Returns the member of a value at a path such as `metadata.order`. */
function memberOf(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let part = value
  for (const name of path.split('.')) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined
    part = (part as JsonObject)[name]
  }
  return part
}

/** @param operations the ids of all operations that a fault can name */
export function faultHandlers(faults: Faults, operations: readonly string[]): DevHandlersOf<'faults'> {
  return {
    'dev.faults.next': async ({ tenant, body }) => ({
      status: 201,
      body: faults.add(tenant, body, operations),
    }),
    'dev.faults.list': async ({ tenant }) => ({ status: 200, body: { data: faults.list(tenant) } }),
    'dev.faults.clear': async ({ tenant }) => {
      faults.clear(tenant)
      return { status: 204 }
    },
  }
}

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
function checkFault(fault: Fault, operations: readonly string[]): void {
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
