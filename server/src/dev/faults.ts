import { ServiceError } from '../base/errors.ts'
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
}

interface Ordered {
  readonly fault: Fault
  /** How many that match are still let through. */
  skip: number
  used: number
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
    const one = { fault, skip: fault.skip ?? 0, used: 0 }
    this.#ordered.set(tenant, [...ordered, one])
    return shown(one)
  }

  list(tenant: string): DevFault[] {
    return (this.#ordered.get(tenant) ?? []).map(shown)
  }

  /** Removes the faults of a tenant, and ends those at work. */
  clear(tenant: string): void {
    this.#ordered.delete(tenant)
    this.#endWaits(of => of === tenant)
  }

  /** Returns the fault for an occasion, and counts it as used. */
  take(occasion: Occasion): Fault | undefined {
    for (const one of this.#ordered.get(occasion.tenant) ?? []) {
      if (one.used >= timesOf(one.fault) || !matches(one.fault, occasion)) continue
      if (one.skip > 0) {
        one.skip--
        continue
      }
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

const timesOf = ({ times = 1 }: Fault) => times

function shown({ fault, used }: Ordered): DevFault {
  return { fault: { ...fault }, used, left: timesOf(fault) - used }
}

function matches(fault: Fault, occasion: Occasion): boolean {
  const { on = 'request', operation, id, application_id, trace_id, reactor_id } = fault
  const wanted = [
    [on, occasion.on],
    [operation, occasion.operation],
    [id, occasion.id],
    [application_id?.toLowerCase(), occasion.application],
    [trace_id, occasion.traceId],
    [reactor_id?.toLowerCase(), occasion.reactor],
  ] as const
  return wanted.every(([given, value]) => given === undefined || given === value)
}

/** @param operations the ids of all operations that a fault can name */
export function faultHandlers(faults: Faults, operations: readonly string[]): DevHandlersOf<'faults'> {
  return {
    'dev.faults.add': async ({ tenant, body }) => ({
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
