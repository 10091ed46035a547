import { type Capability, isCapability } from '../capabilities.ts'
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

/** `ID: title`, or with what the case needs and its turn before the title: `TOK-039.a [clock, alone]: title`. */
type Name = `${string}.${string}: ${string}`

/** What a case is called, and what it does. */
export type Row = readonly [name: Name, run: Case['run']]

const form = /^(([A-Z]{3}-\d{3})\.[a-z0-9_-]+)(?: \[([a-z, -]+)\])?: (.+)$/

/** Returns what a case needs as a part of its name. */
export const marked = (needs: readonly Capability[] = []) => (needs.length ? ` [${needs.join(', ')}]` : '')

/** Creates cases from a table, or from rows. Cases among these stay what they are. */
export const cases = (rows: Readonly<Record<Name, Case['run']>> | readonly (Row | Case)[]): readonly Case[] =>
  (Array.isArray(rows) ? rows : Object.entries(rows)).map(caseOf)

function caseOf(row: Row | Case): Case {
  if ('id' in row) return row
  const [name, run] = row
  const [, id, requirement, said, title] = form.exec(name) ?? []
  if (!id || !requirement || !title) throw new Error(`"${name}" is not the name of a case`)
  const marks = said?.split(', ') ?? []
  const unknown = marks.find(mark => !isTurn(mark) && !isCapability(mark))
  if (unknown) throw new Error(`${id} needs ${unknown}, which is not a capability`)
  const [turn, needs] = [marks.find(isTurn), marks.filter(isCapability)]
  return { id: id.replaceAll('_', '-'), requirement, title, needs, ...(turn && { turn }), run }
}

const isTurn = (mark: string): mark is Turn => mark === 'first' || mark === 'alone'
