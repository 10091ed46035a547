import { parse } from 'yaml'
import { type Capability, isCapability } from '../capabilities.ts'
import { readPackageFile } from '../files.ts'
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

type Reasons = Readonly<Record<string, string>>

export interface Uncovered {
  /** Why a requirement, an operation or a status code has no case. */
  readonly uncovered: Reasons
  /** Why no comment in the server or the contract names a requirement. */
  readonly unnamed: Reasons
}

let own: readonly Requirement[] | undefined

/**
 * Reads requirements; those of the package, by default, once: parsing them takes longer than many a run.
 *
 * @throws {Error} if a record is not complete
 */
export function readRequirements(text?: string): readonly Requirement[] {
  if (text !== undefined) return parseRequirements(text)
  own ??= parseRequirements(readPackageFile('requirements.yaml'))
  return own
}

function parseRequirements(text: string): readonly Requirement[] {
  const records = parse(text) as readonly Partial<Requirement>[]
  return records.map(record => {
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
}

export function readUncovered(text = readPackageFile('uncovered.yaml')): Uncovered {
  const { unnamed, ...uncovered } = parse(text) as Uncovered & Record<string, unknown>
  return { uncovered: uncovered as Reasons, unnamed }
}
