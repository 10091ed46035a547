import type { AuditedAction } from './entries.ts'

/** How many callers and operations are told apart; beyond that the oldest counts are written early. */
const mostCounts = 10_000

/** What is counted and not yet written. */
export interface CountedRefusals {
  readonly tenant: string
  readonly action: AuditedAction
}

interface Count {
  readonly tenant: string
  readonly action: AuditedAction
  /** Refusals after the first, which has an entry of its own. */
  repeats: number
}

/**
 * Counts refusals that repeat: of a caller who is refused again and again the log has one entry for the first and one
 * for all others of a minute, so that nobody can fill it by asking for what is forbidden.
 */
export class RefusalCounts {
  // In order of their first refusals.
  #counts = new Map<string, Count>()
  readonly #most: number

  constructor(most = mostCounts) {
    this.#most = most
  }

  get size(): number {
    return this.#counts.size
  }

  /** True if this refusal repeats one that was noted before, and so is counted only. */
  repeats(tenant: string, action: AuditedAction): boolean {
    const key = keyOf(tenant, action)
    const count = this.#counts.get(key)
    if (!count) {
      this.#counts.set(key, { tenant, action, repeats: 0 })
      return false
    }
    count.repeats++
    // One id for all of them would be wrong.
    if (count.action.entity_id !== action.entity_id) {
      const { entity_id: _, ...common } = count.action
      this.#counts.set(key, { tenant, action: common, repeats: count.repeats })
    }
    return true
  }

  /** Removes the oldest counts that are too many, and returns those to be written. */
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

function keyOf(tenant: string, { operation, actor, session }: AuditedAction): string {
  return JSON.stringify([tenant, session ?? actor, operation])
}
