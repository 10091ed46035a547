import { type FuzzCase, kinds } from './case.ts'
import type { Document } from './document.ts'
import { canSucceed } from './drafts.ts'
import type { Found } from './judge.ts'

/** The minimum number of valid requests for the check of accepted ones. */
const enough = 20
const leastAccepted = 0.5

/** Counts responses by operation and kind of case: if all requests are refused early, the fuzz finds nothing. */
export class Tally {
  readonly #document: Document
  readonly #counts = new Map<string, number>()

  constructor(document: Document) {
    this.#document = document
  }

  add({ kind, operation }: FuzzCase, status: number | undefined): void {
    const group = status === undefined ? 'none' : `${Math.floor(status / 100)}xx`
    for (const of of [operation, '']) {
      for (const name of [`${of}/${kind}/${group}`, `${of}/${kind}`])
        this.#counts.set(name, this.#get(name) + 1)
    }
  }

  count(operation: string, kind: string, group?: string): number {
    return this.#get([operation, kind, ...(group === undefined ? [] : [group])].join('/'))
  }

  faults(): Found[] {
    return this.#document.operations.filter(canSucceed).flatMap(({ id }): Found[] => {
      const valid = this.count(id, 'valid')
      const accepted = this.count(id, 'valid', '2xx')
      if (valid < enough || accepted >= valid * leastAccepted) return []
      return [
        { fault: 'nothing accepted', what: `${id}: ${accepted} of ${valid} valid requests were accepted` },
      ]
    })
  }

  /** Returns a line for each kind of case. */
  lines(): string[] {
    return kinds.map(kind => {
      const counts = ['2xx', '3xx', '4xx', '5xx', 'none']
        .map(group => [group, this.count('', kind, group)] as const)
        .filter(([, count]) => count > 0)
      const texts = counts.map(([group, count]) => `${group} ${count}`)
      return `${kind.padEnd(10)}${String(this.count('', kind)).padStart(7)}  ${texts.join(', ')}`
    })
  }

  #get(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}
