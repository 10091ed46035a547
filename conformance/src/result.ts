import type { Case } from './harness/case.ts'
import type { Profile } from './harness/finding.ts'
import type { Requirement } from './harness/requirements.ts'
import type { Exchange } from './harness/target.ts'

export interface FoundHere {
  readonly profile: Profile
  readonly message: string
}

/** What became of one case. */
export interface Result {
  readonly case: Case
  readonly requirement: Requirement
  readonly findings: readonly FoundHere[]
  /** Why it was not run: a capability that is missing, or a reason that was given. */
  readonly notSupported?: string
  readonly skipped?: string
  /** The suite's own fault. */
  readonly error?: string
  readonly exchanges: readonly Exchange[]
  /** Operations that went through the client. */
  readonly carried: readonly string[]
  readonly ms: number
}
