import type { AuditedAction } from './entries.ts'

/** The limit on counted pairs of caller and operation. Beyond it, the oldest counts are written early. */
const mostCounts = 10_000

/** Refusals that were counted and have to be written. */
interface CountedRefusals {
  readonly tenant: string
  readonly action: AuditedAction
}

interface Count extends CountedRefusals {
  /** The number of refusals after the first, which has its own entry. */
  repeats: number
}

/**
 * Counts repeated refusals. A caller that is refused again and again gets one entry for the first refusal and one for all
 * others of a minute, so that nobody can fill the log with forbidden requests.
 */
export class RefusalCounts {
  // In the order of their first refusals.
  #counts = new Map<string, Count>()
  readonly #most: number

  constructor(most = mostCounts) {
    this.#most = most
  }

  get size(): number {
    return this.#counts.size
  }

  /** Counts a refusal. Returns false for the first of its kind, which needs an entry of its own. */
  repeats(tenant: string, action: AuditedAction): boolean {
    const key = JSON.stringify([tenant, action.session ?? action.actor, action.operation])
    const count = this.#counts.get(key)
    if (!count) {
      this.#counts.set(key, { tenant, action, repeats: 0 })
      return false
    }
    count.repeats++
    // One entry stands for all of them, and so cannot name one id.
    if (count.action.entity_id !== action.entity_id) {
      const { entity_id: _, ...common } = count.action
      this.#counts.set(key, { tenant, action: common, repeats: count.repeats })
    }
    return true
  }

  /** Removes the oldest counts beyond the limit, and returns those to be written. */
  takeSurplus(): CountedRefusals[] {
    const surplus = [...this.#counts.keys()].slice(0, Math.max(0, this.#counts.size - this.#most))
    const taken = surplus.map(key => this.#counts.get(key) as Count)
    for (const key of surplus) this.#counts.delete(key)
    return taken.flatMap(toWrite)
  }

  /** Removes all counts, and returns those to be written. */
  takeAll(): CountedRefusals[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken.flatMap(toWrite)
  }
}

function toWrite({ tenant, action, repeats }: Count): CountedRefusals[] {
  if (repeats === 0) return []
  return [{ tenant, action: repeats === 1 ? action : { ...action, count: repeats } }]
}
