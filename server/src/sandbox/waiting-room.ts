import type { SandboxLimits } from './limits.ts'

type Limits = Pick<SandboxLimits, 'queue' | 'queuePerTenant' | 'queueBytes' | 'queueBytesPerTenant'>

interface Held {
  count: number
  bytes: number
}

/** Limits the number and size of waiting invocations, whatever they wait for. */
export class WaitingRoom {
  readonly #limits: Limits
  readonly #tenants = new Map<string, Held>()
  readonly #all: Held = { count: 0, bytes: 0 }

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#all.count
  }

  /** @returns a function to call when the wait is over, or `undefined` if there is no room */
  enter(tenant: string, bytes: number): (() => void) | undefined {
    const { queue, queuePerTenant, queueBytes, queueBytesPerTenant } = this.#limits
    const own = this.#tenants.get(tenant) ?? { count: 0, bytes: 0 }
    if (!hasRoom(this.#all, bytes, queue, queueBytes)) return undefined
    if (!hasRoom(own, bytes, queuePerTenant, queueBytesPerTenant)) return undefined
    this.#tenants.set(tenant, own)
    add(this.#all, 1, bytes)
    add(own, 1, bytes)
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      add(this.#all, -1, -bytes)
      add(own, -1, -bytes)
      if (own.count === 0) this.#tenants.delete(tenant)
    }
  }
}

/** A single invocation may have any size: its input has its own limit. */
function hasRoom(held: Held, bytes: number, mostCount: number, mostBytes: number): boolean {
  return held.count < mostCount && (held.count === 0 || held.bytes + bytes <= mostBytes)
}

function add(held: Held, count: number, bytes: number): void {
  held.count += count
  held.bytes += bytes
}
