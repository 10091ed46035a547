import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Listed {
  /** Parts of the code that no caller can observe, by reason: the beginning of the names of their mutants. Not run. */
  readonly invisible: Readonly<Record<string, readonly string[]>>
  /** Mutants that no case detects, by reason. A name may have `*` for any characters. */
  readonly survivors: Readonly<Record<string, readonly string[]>>
}

/** The mutants of `survivors.yaml`. */
export interface Survivors {
  /** Names of listed mutants, without those with a `*`. */
  readonly names: readonly string[]
  readonly patterns: readonly RegExp[]
  isInvisible(name: string): boolean
  isListed(name: string): boolean
}

export function readSurvivors(): Survivors {
  const text = readFileSync(new URL('./survivors.yaml', import.meta.url), 'utf8')
  const { invisible, survivors } = parse(text) as Listed
  const beginnings = Object.values(invisible).flat()
  const listed = Object.values(survivors).flat()
  const names = new Set(listed.filter(name => !name.includes('*')))
  const patterns = listed.filter(name => name.includes('*')).map(toPattern)
  return {
    names: [...names],
    patterns: [...patterns, ...beginnings.map(beginning => toPattern(`${beginning}*`))],
    isInvisible: name => beginnings.some(beginning => name.startsWith(beginning)),
    isListed: name => names.has(name) || patterns.some(pattern => pattern.test(name)),
  }
}

function toPattern(name: string): RegExp {
  const parts = name.split('*').map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`)
}
