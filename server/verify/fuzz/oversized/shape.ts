import type { FuzzRequest } from '../case.ts'
import type { Dice } from '../dice.ts'
import type { Loose } from '../json-text.ts'

/** A request that is made as expensive as possible for its size. */
export interface Oversized {
  readonly title: string
  readonly operation: string
  readonly make: (dice: Dice) => {
    readonly target?: string
    readonly key?: string
    readonly prelude?: readonly FuzzRequest[]
    /** The body as text. */
    readonly body?: string
    readonly byFormula?: true
  }
}

export const mebibyte = 1024 * 1024
/** The size of a value that fills a body up to the limit. */
export const most = mebibyte - 2000

export const json = (value: Loose) => JSON.stringify(value)
export const token = (members: Record<string, Loose>) => json({ type: 'token', data: 'x', ...members })
export const list = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: Math.ceil(count) }, (_, index) => item(index))
export const members = (count: number, value: (index: number) => Loose): Record<string, Loose> =>
  Object.fromEntries(list(count, index => [`k${index}`, value(index)]))
export const filled = (piece: string, size: number) =>
  piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
