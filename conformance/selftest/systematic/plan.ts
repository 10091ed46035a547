import { cases as allCases } from '../../src/run.ts'
import type { SourceMutant } from './instrument.ts'
import type { WireMutant } from './wire.ts'
import type { Reach, Trial } from './worker.ts'

/** What a run without a mutant reaches, by the names of mutants. */
export interface Reached {
  readonly cases: readonly (Omit<Reach, 'mutants'> & { readonly mutants: readonly string[] })[]
  /** Mutants reached while the server loads and starts. */
  readonly start: readonly string[]
}

/** A trial, and the number of a mutant that has to be on while the server is loaded. */
export interface Planned extends Trial {
  readonly loadedWith?: number
}

/**
 * Plans which cases each mutant is run against: those to which it makes a difference. First are those whose titles have
 * words of its name, then those that reach least else, since they check most about it.
 */
export function planTrials(
  source: readonly SourceMutant[],
  wire: readonly WireMutant[],
  { cases, start }: Reached,
): Planned[] {
  const least = [...cases].sort((a, b) => a.mutants.length * a.ms - b.mutants.length * b.ms)
  const all = least.map(({ id }) => id)
  const byMutant = new Map<string, string[]>()
  for (const { id, mutants, wire: onWire } of least)
    for (const name of [...mutants, ...onWire]) byMutant.set(name, [...(byMutant.get(name) ?? []), id])
  const early = new Set(start)
  // Last those that need a program of their own.
  const isLate = ({ loadedWith }: Planned) => Number(loadedWith !== undefined)
  return [
    ...source.map(({ id: name }, number): Planned => {
      const reaching = byMutant.get(name)
      if (reaching) return { name, source: number, cases: likelyFirst(name, reaching) }
      return early.has(name)
        ? { name, source: number, cases: likelyFirst(name, all), loadedWith: number }
        : { name, source: number, cases: [] }
    }),
    ...wire.map(({ name }): Planned => ({ name, cases: byMutant.get(name) ?? [] })),
  ].sort((a, b) => isLate(a) - isLate(b))
}

const titles = new Map(allCases.map(({ id, title }) => [id, `${id} ${title}`.toLowerCase()]))

/** Sorts cases by the number of words that their titles share with the file and function of a mutant. */
function likelyFirst(name: string, cases: readonly string[]): string[] {
  const [place = ''] = name.split(':')
  const words = place.split(/[^A-Za-z]+|(?=[A-Z])/).filter(word => word.length > 3)
  const shared = (id: string) =>
    words.filter(word => titles.get(id)?.includes(word.toLowerCase().slice(0, -1))).length
  const scores = new Map(cases.map(id => [id, shared(id)]))
  return [...cases].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))
}
