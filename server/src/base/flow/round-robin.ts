import { requesterOf } from './admission.ts'
import type { Principal } from './principal.ts'

/**
 * Queue in which tenants take turns, and within a tenant its applications and sessions. What one of these adds leaves in
 * order of arrival.
 */
export class RoundRobin<Item> {
  /** Whoever is first in a map is next, and then goes to its end. */
  readonly #tenants = new Map<string, Map<string, Item[]>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(principal: Principal, item: Item): void {
    const { tenant } = principal
    const requester = requesterOf(principal) ?? tenant
    const requesters = this.#tenants.get(tenant) ?? new Map<string, Item[]>()
    const items = requesters.get(requester) ?? []
    items.push(item)
    requesters.set(requester, items)
    this.#tenants.set(tenant, requesters)
    this.#size++
  }

  /** Removes and returns the item whose turn it is; `undefined` if there is none. */
  next(): Item | undefined {
    for (const [tenant, requesters] of this.#tenants) {
      for (const [requester, items] of requesters) {
        const item = items.shift()
        this.#size--
        requesters.delete(requester)
        if (items.length > 0) requesters.set(requester, items)
        this.#tenants.delete(tenant)
        if (requesters.size > 0) this.#tenants.set(tenant, requesters)
        return item
      }
    }
    return undefined
  }
}
