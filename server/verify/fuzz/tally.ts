import type { FuzzCase } from './case.ts'
import type { Document } from './document.ts'
import type { Found } from './judge.ts'

/** The minimum number of valid requests for the check of accepted ones. */
const enough = 20
const leastAccepted = 0.5

/** Counts responses by operation and kind of case: if all requests are refused early, the fuzz finds nothing. */
export class Tally {
  readonly #operations: readonly string[]
  readonly #counts = new Map<string, number>()

  constructor(document: Document) {
    this.#operations = document.operations.map(({ id }) => id)
  }

  add({ kind, operation }: FuzzCase, status: number | undefined): void {
    const group = status === undefined ? 'none' : `${Math.floor(status / 100)}xx`
    for (const name of [
      `${operation}/${kind}/${group}`,
      `${operation}/${kind}`,
      `/${kind}/${group}`,
      `/${kind}`,
    ]) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    }
  }

  count(operation: string, kind: string, group?: string): number {
    return this.#counts.get([operation, kind, ...(group === undefined ? [] : [group])].join('/')) ?? 0
  }

  faults(): Found[] {
    return this.#operations.flatMap((operation): Found[] => {
      const valid = this.count(operation, 'valid')
      const accepted = this.count(operation, 'valid', '2xx')
      // No job is there to be canceled: each is delivered at once.
      if (operation === 'jobs.cancel') return []
      if (valid < enough || accepted >= valid * leastAccepted) return []
      return [
        {
          fault: 'nothing accepted',
          what: `${operation}: ${accepted} of ${valid} valid requests were accepted`,
        },
      ]
    })
  }

  /** Returns a line for each kind of case. */
  lines(): string[] {
    return ['valid', 'grammar', 'mutated', 'oversized', 'wire'].map(kind => {
      const groups = ['2xx', '3xx', '4xx', '5xx', 'none']
      const counts = groups
        .map(group => [group, this.count('', kind, group)] as const)
        .filter(([, count]) => count > 0)
      return `${kind.padEnd(10)}${String(this.count('', kind)).padStart(7)}  ${counts.map(([group, count]) => `${group} ${count}`).join(', ')}`
    })
  }
}
