import { instrumentValidators } from './instrument-validators.ts'
import type { MutatedSchema } from './validator-mutants.ts'

/** Turns the mutants of an instrumented server on and off, and notes which of them a request reaches. */
export const mutantSwitch = {
  /** The mutant that is on; -1 for none. */
  active: -1,
  /** Has a 1 at each mutant that was reached since it was last cleared. */
  reached: new Uint8Array(65_536),
}

declare global {
  // Instrumented code calls it by this name, in whatever file it is.
  var __mutant: (number: number) => boolean
  // Called with each validator that the instrumented server compiles.
  var __instrument: (schema: MutatedSchema | undefined, code: string) => string
  var __note: <T>(isDecision: boolean, value: T, ...others: readonly (number | (() => unknown))[]) => T
}

const { reached } = mutantSwitch

globalThis.__mutant = number => {
  reached[number] = 1
  return mutantSwitch.active === number
}

globalThis.__instrument = (schema, code) =>
  schema ? instrumentValidators(schema.name, code, schema.first).text : code

// Marks those mutants as reached whose value differs from that of the code.
globalThis.__note = (isDecision, value, ...others) => {
  for (let index = 0; index < others.length; index += 2) {
    const number = others[index] as number
    if (reached[number] === 1) continue
    try {
      const other = (others[index + 1] as () => unknown)()
      reached[number] = (isDecision ? !other === !value : Object.is(other, value)) ? 0 : 1
    } catch {
      reached[number] = 1
    }
  }
  return value
}

/** Returns the mutants that were reached, and forgets them. */
export function takeReached(): number[] {
  const found: number[] = []
  reached.forEach((is, number) => {
    if (is === 1) found.push(number)
  })
  reached.fill(0)
  return found
}
