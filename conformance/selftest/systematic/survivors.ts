import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Mutants that no case detects, by the reason why that is so. */
type Reasons = Readonly<Record<string, readonly string[]>>

/** Returns the reason for each mutant in `survivors.yaml`. */
export function readSurvivors(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL('./survivors.yaml', import.meta.url), 'utf8')
  return new Map(
    Object.entries(parse(text) as Reasons).flatMap(([reason, names]) => names.map(name => [name, reason])),
  )
}
