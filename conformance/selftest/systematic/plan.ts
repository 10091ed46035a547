import type { SourceMutant } from './instrument.ts'
import type { Reached } from './runner.ts'
import type { WireMutant } from './wire.ts'
import type { Trial } from './worker.ts'

/** A trial, and the number of a mutant that has to be on while the server is loaded. */
export interface Planned extends Trial {
  readonly loadedWith?: number
}

/**
 * Plans which cases each mutant is run against: those that reach its line or its operation, first those that reach
 * least else, since they check most about it.
 */
export function planTrials(
  source: readonly SourceMutant[],
  wire: readonly WireMutant[],
  { cases, start }: Reached,
): Planned[] {
  const least = [...cases].sort((a, b) => a.mutants.length * a.ms - b.mutants.length * b.ms)
  const all = least.map(({ id }) => id)
  const byMutant = new Map<number, string[]>()
  const byOperation = new Map<string, string[]>()
  for (const { id, mutants, operations } of least) {
    for (const number of mutants) byMutant.set(number, [...(byMutant.get(number) ?? []), id])
    for (const name of operations) byOperation.set(name, [...(byOperation.get(name) ?? []), id])
  }
  const early = new Set(start)
  // Last those that need a program of their own.
  const isLate = ({ loadedWith }: Planned) => Number(loadedWith !== undefined)
  return [
    ...source.map(({ id: name }, number): Planned => {
      const reaching = byMutant.get(number)
      if (reaching) return { name, source: number, cases: reaching }
      return early.has(number)
        ? { name, source: number, cases: all, loadedWith: number }
        : { name, source: number, cases: [] }
    }),
    ...wire.map(({ name, operation }): Planned => ({ name, cases: byOperation.get(operation) ?? [] })),
  ].sort((a, b) => isLate(a) - isLate(b))
}
