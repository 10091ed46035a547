import { type Feature, features } from './features.ts'
import { isOfEveryResponse } from './harness/always.ts'
import type { Profile } from './harness/finding.ts'
import type { Requirement } from './harness/requirements.ts'
import type { Result } from './result.ts'
import { outcomeOf } from './verdict.ts'

/** A requirement that a server does not meet yet. */
interface Step {
  readonly requirement: Requirement
  readonly feature: Feature
  readonly reason: string
}

/**
 * Returns what to implement next, in an order in which each step builds on those before: what is claimed first, then what
 * fails of every response, then by feature, and within a feature failures before cases that were not run.
 */
export function nextSteps(
  results: readonly Result[],
  profile: Profile,
  claims: readonly Feature[] = features,
): readonly Step[] {
  const steps = new Map<string, Step & { readonly rank: number }>()
  for (const result of results) {
    const outcome = outcomeOf(result, profile)
    const failed = outcome === 'fail' || outcome === 'expected-failure'
    if (!failed && outcome !== 'not-supported') continue
    const last = Math.max(0, ...[...result.features].map(name => features.indexOf(name)))
    const isClaimed = [...result.features].every(name => claims.includes(name))
    const { id } = result.requirement
    const place = failed && isOfEveryResponse(id) ? -1 : last * 2 + (failed ? 0 : 1)
    const rank = (isClaimed ? 0 : features.length * 2) + place
    if ((steps.get(id)?.rank ?? Number.POSITIVE_INFINITY) <= rank) continue
    const reason = failed ? 'failed' : `not run: ${result.notSupported}`
    steps.set(id, { requirement: result.requirement, feature: features[last] ?? 'tokens', reason, rank })
  }
  return [...steps.values()].sort((a, b) => a.rank - b.rank || (a.requirement.id < b.requirement.id ? -1 : 1))
}
