import type { Feature } from './features.ts'
import type { Case } from './harness/case.ts'
import type { Evidence, Profile } from './harness/finding.ts'
import type { Requirement } from './harness/requirements.ts'
import type { Exchange } from './harness/target.ts'

export interface FoundHere extends Evidence {
  readonly profile: Profile
  readonly message: string
}

/** The result of one case. */
export interface Result {
  readonly case: Case
  readonly requirement: Requirement
  readonly findings: readonly FoundHere[]
  /** Features that the case tests. */
  readonly features: ReadonlySet<Feature>
  /** Why a failure is expected. */
  readonly expected?: string
  /** Why the case was not run: missing capabilities. */
  readonly notSupported?: string
  /** Why the case was not run: the reason given by the user. */
  readonly skipped?: string
  /** Set if the suite itself failed. */
  readonly error?: string
  readonly exchanges: readonly Exchange[]
  /** Ids of operations that were sent through the client. */
  readonly carried: readonly string[]
  readonly ms: number
}

/** True for a case that the command did not ask for. */
export const isLeftOut = ({ skipped }: Result): boolean => skipped?.startsWith('not selected by ') === true
