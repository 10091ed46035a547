import type { Verdict } from './runner.ts'

/**
 * The cases that killed mutants so far, the latest first for each function and file: a case that kills one mutant of a
 * function often kills the next.
 */
export class Killers {
  readonly #own = new Map<string, string>()
  readonly #byPlace = new Map<string, string[]>()

  add({ name, by }: Verdict): void {
    if (by === undefined) return
    this.#own.set(name, by)
    for (const place of placesOf(name))
      this.#byPlace.set(
        place,
        [by, ...(this.#byPlace.get(place) ?? []).filter(one => one !== by)].slice(0, 30),
      )
  }

  /** Returns the cases in the order of their likelihood to kill a mutant. */
  sorted(name: string, cases: readonly string[]): string[] {
    const known = new Set(cases)
    const likely = [
      this.#own.get(name) ?? '',
      ...placesOf(name).flatMap(place => this.#byPlace.get(place) ?? []),
    ]
    return [...new Set([...likely.filter(one => known.has(one)), ...cases])]
  }
}

/** The function and the file that a mutant is in. */
function placesOf(name: string): string[] {
  const [place = ''] = name.split(':')
  return [place, place.split(' ').slice(0, -1).join(' ')]
}
