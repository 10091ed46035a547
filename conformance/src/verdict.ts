import { type Feature, features } from './features.ts'
import { counts } from './harness/context.ts'
import type { Profile } from './harness/finding.ts'
import type { Result } from './result.ts'

/**
 * `error`: the suite itself failed. `warn`: a SHOULD or a provisional requirement is not met. `expected-failure` and
 * `unexpected-pass`: cases in the file of expected failures.
 */
export const outcomes = [
  'pass',
  'fail',
  'warn',
  'expected-failure',
  'unexpected-pass',
  'not-supported',
  'skipped',
  'error',
] as const
export type Outcome = (typeof outcomes)[number]

/**
 * The verdict of a run. `invalid run` says nothing about the server: the suite could not run. `incomplete`: the run ended
 * before all cases.
 */
export type Verdict = 'conformant' | 'partial' | 'not conformant' | 'incomplete' | 'invalid run'

/** A verdict with the numbers that it stands on. */
export interface Tally {
  readonly verdict: Verdict
  readonly passed: number
  readonly total: number
}

export const exitCodes: Readonly<Record<Verdict, number>> = {
  conformant: 0,
  'not conformant': 1,
  'invalid run': 2,
  incomplete: 2,
  partial: 3,
}

export function outcomeOf(result: Result, profile: Profile): Outcome {
  if (result.error !== undefined) return 'error'
  if (result.skipped !== undefined) return 'skipped'
  if (result.notSupported !== undefined) return 'not-supported'
  const isExpected = result.expected !== undefined
  if (!result.findings.some(found => counts(found.profile, profile)))
    return isExpected ? 'unexpected-pass' : 'pass'
  if (isExpected) return 'expected-failure'
  const { level, status } = result.requirement
  return level === 'MUST' && status === 'active' ? 'fail' : 'warn'
}

/** Returns the verdict over results: a case that was not run makes it partial, whatever the reason. */
export function tallyOf(results: readonly Result[], profile: Profile): Tally {
  const outcomes = results
    .filter(({ requirement }) => counts(requirement.profile, profile))
    .map(result => outcomeOf(result, profile))
  const number = (...names: Outcome[]) => outcomes.filter(outcome => names.includes(outcome)).length
  const passed = number('pass', 'warn', 'unexpected-pass')
  const total = outcomes.length
  const verdict =
    number('fail', 'expected-failure') > 0
      ? 'not conformant'
      : number('error') > 0 || passed === 0
        ? 'invalid run'
        : passed < total
          ? 'partial'
          : 'conformant'
  return { verdict, passed, total }
}

/** Returns the verdict of each claimed feature, over the cases that need no feature that is not claimed. */
export function featureTallies(
  results: readonly Result[],
  profile: Profile,
  claimed: readonly Feature[],
): Readonly<Partial<Record<Feature, Tally>>> {
  const inside = claimedOnly(results, claimed)
  return Object.fromEntries(
    features.flatMap(name => {
      if (!claimed.includes(name)) return []
      const own = inside.filter(
        ({ features, requirement }) => features.has(name) && counts(requirement.profile, profile),
      )
      return own.length === 0 ? [] : [[name, tallyOf(own, profile)]]
    }),
  )
}

/** Returns the results of cases that test claimed features only. */
export const claimedOnly = (results: readonly Result[], claimed: readonly Feature[]) =>
  results.filter(result => [...result.features].every(name => claimed.includes(name)))

/**
 * Returns the exit code of a run: that of the verdict over the claimed features. Failures that were expected do not
 * count, and an unexpected pass counts as a failure.
 */
export function exitCodeOf(
  results: readonly Result[],
  profile: Profile,
  claimed: readonly Feature[],
): number {
  const own = claimedOnly(results, claimed)
  const is = (outcome: Outcome) => (result: Result) => outcomeOf(result, profile) === outcome
  if (own.some(is('unexpected-pass'))) return exitCodes['not conformant']
  const unexpected = own.filter(result => !is('expected-failure')(result))
  return exitCodes[tallyOf(unexpected, profile).verdict]
}

/** Returns a verdict as text: `core: 84 of 185, partial`. */
export const tallyText = (name: string, { passed, total, verdict }: Tally): string =>
  `${name}: ${passed} of ${total}, ${verdict}`
