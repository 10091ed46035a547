import { createHash } from 'node:crypto'
import fc from 'fast-check'

/** Takes a value of an arbitrary. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T

/** Makes a value that depends on the seed only. */
export function drawFrom<T>(seed: string, make: (draw: Draw) => T): T {
  const whole = fc.gen().map(take => make(arbitrary => take(() => arbitrary)))
  const number = createHash('sha256').update(seed).digest().readInt32BE()
  const [made] = fc.sample(whole, { seed: number, numRuns: 1 })
  return made as T
}

/** True in so many of a hundred cases. Without fast-check's preference for small numbers. */
export const percent = (share: number) => fc.noBias(fc.nat(999)).map(value => value < share * 10)

export const weighted = <T>(...choices: readonly (readonly [weight: number, fc.Arbitrary<T>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Joins texts and values, as in: text`/tokens/${fc.uuid()}` */
export const text = (strings: TemplateStringsArray, ...parts: readonly fc.Arbitrary<unknown>[]) =>
  fc.tuple(...parts).map(made => String.raw({ raw: strings }, ...made))

/** A text that is repeated, such as up to a limit and beyond it. */
export const repeated = (piece: string, ...counts: readonly number[]) =>
  fc.constantFrom(...counts).map(count => piece.repeat(count))
