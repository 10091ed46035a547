import fc from 'fast-check'

export const weighted = <T>(...choices: readonly (readonly [weight: number, fc.Arbitrary<T>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Joins texts and values, as in: text`/tokens/${fc.uuid()}` */
export const text = (strings: TemplateStringsArray, ...parts: readonly fc.Arbitrary<unknown>[]) =>
  fc.tuple(...parts).map(made => String.raw({ raw: strings }, ...made))

/** A text that is repeated, such as up to a limit and beyond it. */
export const repeated = (piece: string, ...counts: readonly number[]) =>
  fc.constantFrom(...counts).map(count => piece.repeat(count))
