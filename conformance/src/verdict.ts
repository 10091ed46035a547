import { counts } from './harness/context.ts'
import type { Profile } from './harness/finding.ts'
import type { Result } from './result.ts'

/** `error`: the suite itself failed. `warn`: a SHOULD or a provisional requirement is not met. */
export const outcomes = ['pass', 'fail', 'warn', 'not-supported', 'skipped', 'error'] as const
export type Outcome = (typeof outcomes)[number]

/** The verdict of a run. `invalid run` says nothing about the server: the suite could not run. */
export type Verdict = 'conformant' | 'partial' | 'not conformant' | 'invalid run'

export const exitCodes: Readonly<Record<Verdict, number>> = {
  conformant: 0,
  'not conformant': 1,
  'invalid run': 2,
  partial: 3,
}

export function outcomeOf(result: Result, profile: Profile): Outcome {
  if (result.error !== undefined) return 'error'
  if (result.skipped !== undefined) return 'skipped'
  if (result.notSupported !== undefined) return 'not-supported'
  if (!result.findings.some(found => counts(found.profile, profile))) return 'pass'
  const { level, status } = result.requirement
  return level === 'MUST' && status === 'active' ? 'fail' : 'warn'
}

/** @param planned the expected number of results */
export function verdictOf(results: readonly Result[], profile: Profile, planned: number): Verdict {
  if (results.length !== planned) return 'invalid run'
  const outcomes = results
    .filter(({ requirement }) => counts(requirement.profile, profile))
    .map(result => outcomeOf(result, profile))
  const has = (outcome: Outcome) => outcomes.includes(outcome)
  if (has('fail')) return 'not conformant'
  if (has('error') || !(has('pass') || has('warn'))) return 'invalid run'
  return has('skipped') ? 'partial' : 'conformant'
}
