import { type Capability, isCapability } from '../capabilities.ts'
import { readParsed } from '../files.ts'
import type { Profile } from './finding.ts'

/** One testable sentence of the specification, in our own words. */
export interface Requirement {
  /** Never used again for another requirement. */
  readonly id: string
  /** Source of the requirement: the specification (core), or decisions where that is open (surrogate). */
  readonly profile: Profile
  readonly section: string
  readonly level: 'MUST' | 'SHOULD' | 'MAY'
  readonly status: 'active' | 'provisional' | 'withdrawn'
  readonly needs: readonly Capability[]
  readonly operations: readonly string[]
  readonly text: string
}

let titles: Readonly<Record<string, string>> | undefined

/** Returns the name of a section: `core 4.1 Tokens`, `surrogate Errors`. Those of the specification have numbers. */
export function sectionName({ profile, section }: Pick<Requirement, 'profile' | 'section'>): string {
  titles ??= readParsed('sections') as Readonly<Record<string, string>>
  return [profile, section, titles[section]].filter(text => text !== undefined).join(' ')
}

let own: readonly Requirement[] | undefined

/**
 * Reads the requirements, once.
 *
 * @throws {Error} if a record is not complete
 */
export function readRequirements(): readonly Requirement[] {
  own ??= (readParsed('requirements') as readonly Partial<Requirement>[]).map(record => {
    const {
      id,
      profile,
      section,
      level,
      text: words,
      needs = [],
      operations = [],
      status = 'active',
    } = record
    if (!id || !profile || !section || !level || !words) throw new Error(`requirement ${id} is not complete`)
    for (const name of needs)
      if (!isCapability(name)) throw new Error(`${id} needs the unknown capability ${name}`)
    return { id, profile, section: String(section), level, status, needs, operations, text: words }
  })
  return own
}
