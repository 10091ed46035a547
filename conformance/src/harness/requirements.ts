import { parse } from 'yaml'
import { type Capability, isCapability } from '../capabilities.ts'
import { readPackageFile } from '../files.ts'
import type { Profile } from './finding.ts'

/** One testable sentence, in our own words. */
export interface Requirement {
  /** Never used again for another, whatever becomes of it. */
  readonly id: string
  /** The specification in core; the decisions that fill what it leaves open in surrogate. */
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
  /** Why a requirement is named over nothing of the server. */
  readonly unnamed: Reasons
}

/** @throws {Error} if a record is not one */
export function readRequirements(text = readPackageFile('requirements.yaml')): readonly Requirement[] {
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
      if (!isCapability(name)) throw new Error(`${id} needs ${name}, which is unknown`)
    return { id, profile, section: String(section), level, status, needs, operations, text: words }
  })
}

export function readUncovered(text = readPackageFile('uncovered.yaml')): Uncovered {
  const { unnamed, ...uncovered } = parse(text) as Uncovered & Record<string, unknown>
  return { uncovered: uncovered as Reasons, unnamed }
}
