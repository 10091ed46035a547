import { ExpressionError, nameOf, SyntaxFault } from '../expression-error.ts'
import type { Evaluate } from '../run.ts'

/**
 * The variables of one template, each with a slot in the frame of a run. A name that the template does not assign
 * must be `data` or `metadata`: a misspelt name is an error, not an empty text.
 */
export class Scope {
  readonly #slots = new Map<string, number>()
  readonly #assigned = new Set<string>()
  readonly #mentions: { readonly name: string; readonly offset: number }[] = []
  readonly #loops: Map<string, number>[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  slot(): number {
    return this.#size++
  }

  /** Returns the slot of a variable that `assign` or `capture` sets; it lasts to the end of the template. */
  assign(name: string): number {
    this.#assigned.add(name)
    return this.#slotOf(name)
  }

  /** Counters of `increment` and `decrement` are separate from variables, but can be read like them. */
  count(name: string): void {
    this.#assigned.add(name)
  }

  /** Runs `inside` with variables that exist only there, such as those of a loop. */
  within<T>(names: ReadonlyMap<string, number>, inside: () => T): T {
    this.#loops.push(new Map(names))
    try {
      return inside()
    } finally {
      this.#loops.pop()
    }
  }

  read(name: string, offset: number): Evaluate {
    const loop = this.#loops.findLast(names => names.has(name))?.get(name)
    if (loop !== undefined) return run => run.frame[loop] ?? null
    this.#mentions.push({ name, offset })
    const slot = this.#slotOf(name)
    return run => {
      const assigned = run.frame[slot]
      if (assigned !== undefined) {
        run.isDecimal = run.wasDecimal(slot)
        return assigned
      }
      if (name === 'data') return run.bindings.data
      if (name !== 'metadata') return run.counter(name) ?? null
      if (run.bindings.metadata !== undefined) return run.bindings.metadata
      run.at = offset
      throw new ExpressionError('value', 'metadata is not available here, only data')
    }
  }

  /** @throws {SyntaxFault} for a name that is neither `data`, `metadata` nor assigned in the template */
  finish(): void {
    for (const { name, offset } of this.#mentions) {
      if (name === 'data' || name === 'metadata' || this.#assigned.has(name)) continue
      throw new SyntaxFault(
        `there is no variable ${nameOf(name)}; use data, metadata or a variable that the expression assigns`,
        offset,
      )
    }
  }

  #slotOf(name: string): number {
    const known = this.#slots.get(name)
    if (known !== undefined) return known
    const slot = this.slot()
    this.#slots.set(name, slot)
    return slot
  }
}
