import type { Capability } from '../../capabilities.ts'
import type { Case, Turn } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'

/** One case of a matrix. Its name is the end of its id: lower-case words, digits and hyphens. */
export interface Cell {
  readonly requirement: string
  readonly name: string
  readonly title: string
  readonly needs?: readonly Capability[] | undefined
  readonly turn?: Turn
  run(context: Context): Promise<void>
}

/** Creates cases from the cells of a matrix. Cases among them stay what they are. */
export const matrix = (cells: readonly (Cell | Case)[]): readonly Case[] =>
  cells.map(cell => {
    if ('id' in cell) return cell
    const { requirement, name, title, needs = [], turn, run } = cell
    return {
      id: `${requirement}.${name.replaceAll('_', '-')}`,
      requirement,
      title,
      needs,
      ...(turn && { turn }),
      run,
    }
  })
