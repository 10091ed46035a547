import type { Capability } from '../capabilities.ts'
import type { Context } from './context.ts'

/** A check of one requirement on a server. It throws a `Finding` if the server does not meet it. */
export interface Case {
  /** Id of the requirement, a dot and a letter. */
  readonly id: string
  readonly requirement: string
  /** The behaviour of a conformant server, in the present tense. */
  readonly title: string
  /** Capabilities that the case needs besides those of its requirement. */
  readonly needs: readonly Capability[]
  readonly turn?: Turn
  run(context: Context): Promise<void>
}

/** `first`: takes long, so it begins before all others. `alone`: other cases would notice it, so it runs after them. */
export type Turn = 'first' | 'alone'

type Row = readonly [title: string, run: (context: Context) => Promise<void>, ...needs: (Capability | Turn)[]]

/** Creates cases from a table by id. */
export function cases(rows: Readonly<Record<string, Row>>): readonly Case[] {
  return Object.entries(rows).map(([id, [title, run, ...marks]]) => {
    const requirement = id.slice(0, id.lastIndexOf('.'))
    const turn = marks.find(isTurn)
    const needs = marks.filter((mark): mark is Capability => !isTurn(mark))
    return { id, requirement, title, needs, ...(turn && { turn }), run }
  })
}

const isTurn = (mark: string): mark is Turn => mark === 'first' || mark === 'alone'
