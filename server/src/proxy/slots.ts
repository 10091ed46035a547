import { ServiceError } from '../base/errors.ts'

/** Counts proxied requests under way, of all tenants and of each. */
export class Slots {
  readonly #most: { readonly open: number; readonly openPerTenant: number }
  readonly #byTenant = new Map<string, number>()
  #open = 0

  constructor(most: { readonly open: number; readonly openPerTenant: number }) {
    this.#most = most
  }

  /** Takes a slot. Returns a function that releases it, once. @throws {ServiceError} rate_limited */
  take(tenant: string): () => void {
    const own = this.#byTenant.get(tenant) ?? 0
    if (this.#open >= this.#most.open || own >= this.#most.openPerTenant) {
      throw new ServiceError(
        'rate_limited',
        'too many requests are waiting for their targets; try again in a while',
        {
          headers: { 'Retry-After': '1' },
        },
      )
    }
    this.#open++
    this.#byTenant.set(tenant, own + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#open--
      const left = (this.#byTenant.get(tenant) ?? 1) - 1
      if (left === 0) this.#byTenant.delete(tenant)
      else this.#byTenant.set(tenant, left)
    }
  }
}
