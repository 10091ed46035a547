/** Releases a slot. A further call has no effect. */
export type Release = () => void

export interface SlotLimits {
  readonly slots: number
  readonly slotsPerTenant: number
}

/** Counts the slots in use, of all tenants and of each. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #held = new Map<string, number>()
  #inUse = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get isFull(): boolean {
    return this.#inUse >= this.#limits.slots
  }

  /** True if the tenant may take a slot. */
  isFree(tenant: string): boolean {
    return !this.isFull && (this.#held.get(tenant) ?? 0) < this.#limits.slotsPerTenant
  }

  /** Takes a slot, which must be free. */
  take(tenant: string): Release {
    this.#inUse++
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#inUse--
      const left = (this.#held.get(tenant) ?? 1) - 1
      if (left === 0) this.#held.delete(tenant)
      else this.#held.set(tenant, left)
    }
  }
}
