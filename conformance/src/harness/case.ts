import type { Capability } from '../capabilities.ts'
import type { Context } from './context.ts'

/** One thing that a requirement says, tried on a server. It throws what it found instead. */
export interface Case {
  /** The requirement's id, a dot and a letter. */
  readonly id: string
  readonly requirement: string
  /** What holds, in the present tense. */
  readonly title: string
  /** What it needs of the target beyond what its requirement needs. */
  readonly needs: readonly Capability[]
  run(context: Context): Promise<void>
}

type Row = readonly [title: string, run: (context: Context) => Promise<void>, ...needs: Capability[]]

/** Cases by id. */
export function cases(rows: Readonly<Record<string, Row>>): readonly Case[] {
  return Object.entries(rows).map(([id, [title, run, ...needs]]) => {
    const requirement = id.slice(0, id.lastIndexOf('.'))
    return { id, requirement, title, needs, run }
  })
}
