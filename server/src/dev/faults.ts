import { comparableId } from '../base/comparable-id.ts'
import { ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { seededRandom } from '../base/random.ts'
import { clearTimeout, setTimeout } from '../base/time/real-time.ts'
import type { DevFault } from '../generated/dev-client/index.ts'
import { checkFault, type Fault } from './check-fault.ts'
import type { DevHandlersOf } from './handlers.ts'

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
  /** The waits of requests and others that a fault holds, and their tenants. */
  readonly #waits = new Map<() => void, string>()
  #isClosed = false

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
    this.#endWaits(of => of === tenant)
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

  /**
   * Resolves after so many real milliseconds, when the faults of the tenant are cleared, when whoever waits is gone, or
   * when the vault is closed.
   * @param onGone calls a function when whoever waits is gone
   */
  wait(tenant: string, ms: number, onGone?: (listener: () => void) => void): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(alarm)
        this.#waits.delete(end)
        resolve()
      }
      const alarm = setTimeout(end, ms)
      this.#waits.set(end, tenant)
      onGone?.(end)
    })
  }

  reset(): void {
    this.#ordered.clear()
    this.#endWaits(() => true)
  }

  close(): void {
    this.#isClosed = true
    this.reset()
  }

  #endWaits(isMeant: (tenant: string) => boolean): void {
    for (const [end, tenant] of this.#waits) if (isMeant(tenant)) end()
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
