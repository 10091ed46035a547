import { type Feature, features } from './features.ts'
import { isOfEveryResponse } from './harness/always.ts'
import { operationNames } from './harness/document.ts'
import type { Profile } from './harness/finding.ts'
import type { Requirement } from './harness/requirements.ts'
import type { Result } from './result.ts'
import { outcomeOf } from './verdict.ts'

/** One thing that cases did not pass for. */
interface Step {
  /** An operation without any success, what is not claimed or missing, or that the server breaks the requirement. */
  readonly reason: string
  /** The requirement that is broken; none if it is another thing that is missing. */
  readonly requirement?: Requirement
  readonly feature: Feature
  /** Ids of the cases. */
  readonly cases: readonly string[]
}

/**
 * Returns what to do next, by cause, in an order in which each step builds on those before: what is claimed first, of that
 * operations that never succeed, what fails of every response, then by feature, and within a feature failures before cases
 * that were not run.
 */
export function nextSteps(
  results: readonly Result[],
  profile: Profile,
  claims: readonly Feature[] = features,
): readonly Step[] {
  const exchanges = results.flatMap(one => one.exchanges)
  const succeeding = new Set(exchanges.flatMap(one => ((one.status ?? 500) < 300 ? [one.operation] : [])))
  const steps = new Map<string, Step & { cases: string[]; rank: number }>()
  for (const result of results) {
    const outcome = outcomeOf(result, profile)
    const failed = outcome === 'fail' || outcome === 'expected-failure'
    if (!failed && outcome !== 'not-supported') continue
    const { requirement, exchanges, findings, notSupported } = result
    const { operation = '', status } = findings[0]?.exchange ?? exchanges.at(-1) ?? {}
    const name = operationNames.get(operation)
    const never = failed && name !== undefined && status !== undefined && !succeeding.has(operation)
    const isMissing = [404, 405, 501].includes(status ?? 0)
    const reason = never
      ? `${isMissing ? 'not implemented' : 'never succeeds'}: ${name}, ${status}`
      : failed
        ? 'failed'
        : `not run: ${notSupported}`
    const own = failed && !never
    const last = Math.max(0, ...[...result.features].map(one => features.indexOf(one)))
    const isClaimed = [...result.features].every(one => claims.includes(one))
    const place = never ? -2 : failed && isOfEveryResponse(requirement.id) ? -1 : last * 2 + (failed ? 0 : 1)
    const rank = (isClaimed ? 0 : features.length * 2) + place
    const key = own ? requirement.id : reason
    const step = steps.get(key) ?? { reason, feature: features[last] ?? 'tokens', cases: [], rank }
    step.cases.push(result.case.id)
    steps.set(key, { ...step, ...(own && { requirement }), rank: Math.min(rank, step.rank) })
  }
  return [...steps]
    .sort(([one, a], [other, b]) => a.rank - b.rank || (one < other ? -1 : 1))
    .map(([, step]) => step)
}

/** Returns a step in words, without the sentence of its requirement. */
export const stepText = ({ requirement, feature, reason, cases }: Step): string => {
  const number = `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}, such as ${[...cases].sort()[0]}`
  return requirement
    ? `${requirement.id} (${feature}, section ${requirement.section}; ${reason}: ${number})`
    : `${reason} (${number})`
}
