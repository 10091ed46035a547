import type { Complaint } from './harness/contract.ts'
import type { FoundHere, Result } from './result.ts'

/** A complaint, where it was first made, and how often. */
interface Noted {
  readonly complaint: FoundHere
  readonly first: string
  count: number
}

/**
 * Gathers complaints about what holds for every response, so that a fault of all responses is one finding of the
 * requirement that it breaks, and not one of every case.
 */
export class EveryResponse {
  readonly #noted = new Map<string, Noted>()
  readonly #judged: ReadonlySet<string>

  /** @param judged the requirements that have a case in this run */
  constructor(judged: Iterable<string>) {
    this.#judged = new Set(judged)
  }

  /** Keeps the complaints of a case that another requirement is judged by, and returns the others. */
  take(id: string, requirement: string, complaints: readonly Complaint[]): readonly Complaint[] {
    return complaints.filter(one => {
      if (one.requirement === requirement || !this.#judged.has(one.requirement ?? '')) return true
      const key = `${one.requirement} ${one.profile}`
      const noted = this.#noted.get(key)
      if (noted) noted.count++
      else this.#noted.set(key, { complaint: one, first: id, count: 1 })
      return false
    })
  }

  /** Adds what was kept to a case of its requirement; if none could be run, to the case that met it first. */
  addTo(results: readonly Result[]): Result[] {
    const added = new Map<string, FoundHere[]>()
    for (const [key, { complaint, first, count }] of this.#noted) {
      const own = results.find(one => key.startsWith(`${one.requirement.id} `) && wasRun(one))
      const id = own?.case.id ?? first
      const message = `a response in ${first}, and ${count - 1} others: ${complaint.message}`
      added.set(id, [...(added.get(id) ?? []), { ...complaint, message }])
    }
    return results.map(one => ({ ...one, findings: [...(added.get(one.case.id) ?? []), ...one.findings] }))
  }
}

const wasRun = ({ notSupported, skipped, error }: Result) =>
  notSupported === undefined && skipped === undefined && error === undefined
