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

/**
 * Returns the results that the verdict of each claimed feature stands on: of the cases that need no feature that is not
 * claimed, or, if there are none, of all cases of the feature. A case may test several. One of every claim that was not run
 * tests none, and counts for the first. A run that claims everything leaves out features that have no case in its profile.
 */
function byFeature(
  results: readonly Result[],
  profile: Profile,
  claimed: readonly Feature[],
): ReadonlyMap<Feature, readonly Result[]> {
  const counted = results.filter(({ requirement }) => counts(requirement.profile, profile))
  const inside = claimedOnly(counted, claimed)
  const names = features.filter(name => claimed.includes(name))
  return new Map(
    names.flatMap((name, at) => {
      const tests = ({ features: own }: Result) => own.has(name) || (at === 0 && own.size === 0)
      const own = inside.filter(tests)
      const found = own.length > 0 ? own : counted.filter(tests)
      return found.length === 0 ? [] : [[name, found] as const]
    }),
  )
}

/** Returns the verdict of each claimed feature. One of which nothing was run is `0 of n, invalid run`; one of which the profile has no case is left out. */
export const featureTallies = (
  results: readonly Result[],
  profile: Profile,
  claimed: readonly Feature[],
): Readonly<Partial<Record<Feature, Tally>>> =>
  Object.fromEntries(
    [...byFeature(results, profile, claimed)].map(([name, own]) => [name, tallyOf(own, profile)]),
  )

/**
 * Returns the verdict of all that is claimed. The cases of a feature of which nothing was run count, too, although they
 * may need features that are not claimed.
 */
export const claimedTally = (
  results: readonly Result[],
  profile: Profile,
  claimed: readonly Feature[],
): Tally => tallyOf([...new Set([...byFeature(results, profile, claimed).values()].flat())], profile)

/** Returns, in words, of which claimed features no case was run, and why; undefined if there are none. */
export function emptyClaims(
  results: readonly Result[],
  profile: Profile,
  claimed: readonly Feature[],
): string | undefined {
  if (claimsAll(claimed)) return undefined
  const known = byFeature(results, profile, claimed)
  if (known.size === 0) return `the profile ${profile} has no case of what is claimed: ${claimed.join(', ')}`
  const empty = [...known].flatMap(([name, own]) => {
    const reasons = own.map(({ notSupported, skipped }) => notSupported ?? skipped)
    if (reasons.some(reason => reason === undefined)) return []
    return [`${name}: 0 of ${own.length} (${mostFrequent(reasons)})`]
  })
  return empty.length === 0 ? undefined : `no case was run of what is claimed: ${empty.join('; ')}`
}

function mostFrequent<T>(items: readonly T[]): T | undefined {
  const counted = new Map<T, number>()
  for (const item of items) counted.set(item, (counted.get(item) ?? 0) + 1)
  return [...counted].sort(([, a], [, b]) => b - a)[0]?.[0]
}

/** True for a run without `--claim`, which is judged by its profile. */
export const claimsAll = (claimed: readonly Feature[]) => features.every(name => claimed.includes(name))

/** Returns the results of cases that test claimed features only. */
const claimedOnly = (results: readonly Result[], claimed: readonly Feature[]) =>
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
