import type { Capability } from './capabilities.ts'
import { allCases } from './cases/index.ts'
import { EveryResponse } from './every-response.ts'
import { type Feature, features, featuresOf, isFeature } from './features.ts'
import { isOfEveryResponse } from './harness/always.ts'
import { type Inbox, openInbox } from './harness/callback.ts'
import type { Case } from './harness/case.ts'
import { cleanUp } from './harness/clean-up.ts'
import { type Context, counts } from './harness/context.ts'
import { Contract } from './harness/contract.ts'
import { demandControls } from './harness/controls.ts'
import { endOf } from './harness/end.ts'
import {
  type Evidence,
  Finding,
  NotClaimed,
  NotSupported,
  type Profile,
  Unreachable,
} from './harness/finding.ts'
import { Fixtures } from './harness/fixtures.ts'
import { guarded, Interrupted } from './harness/guard.ts'
import { isReachable, probe } from './harness/probe.ts'
import { NoAnswer, Recorder } from './harness/recorder.ts'
import { type Requirement, readRequirements } from './harness/requirements.ts'
import type { Carrier, Target } from './harness/target.ts'
import { byFetch, overHttp } from './harness/transport.ts'
import type { FoundHere, Result } from './result.ts'
import { matching, shuffled } from './selection.ts'
import {
  claimedTally,
  claimsAll,
  emptyClaims,
  exitCodeOf,
  exitCodes,
  featureTallies,
  type Tally,
  tallyOf,
  type Verdict,
} from './verdict.ts'

export const cases = allCases

export interface RunOptions {
  readonly profile?: Profile
  /** Features that the server claims to have; cases of others are not run. Default all. */
  readonly claims?: readonly Feature[]
  /** Ids of requirements or cases, such as `TOK-001` or `TOK-*`; all others are skipped. */
  readonly only?: readonly string[]
  /** Sections, such as `4.2`; cases of others are skipped. */
  readonly sections?: readonly string[]
  /** Ids of requirements or cases that are known to fail, with the reason for each. */
  readonly expected?: Readonly<Record<string, string>>
  /** Capabilities that an earlier run found. The target is not probed. */
  readonly capabilities?: ReadonlySet<Capability>
  /** Ids of requirements or cases to skip, with the reason for each. */
  readonly skip?: Readonly<Record<string, string>>
  /** Seed of the random order. */
  readonly seed?: number
  /** Sends requests through a client where that is possible. */
  readonly carrier?: Carrier
  /** A parsed contract, to save the time of parsing it again. */
  readonly contract?: Contract
  readonly requirements?: readonly Requirement[]
  readonly cases?: readonly Case[]
  /** Ends the run early, as an invalid one with the results so far. The reason is shown. */
  readonly signal?: AbortSignal
  /** Number of cases that run at the same time. Default 1. Those that others would notice run alone, after them. */
  readonly concurrency?: number
  /** Time limit of the whole run, in milliseconds. Default 15 minutes. */
  readonly limitMs?: number
  /** Called with each result, and with the total number of cases. Those about every response come last. */
  readonly onResult?: (result: Result, count: number) => void
}

export interface Run {
  readonly profile: Profile
  readonly seed: number
  readonly capabilities: readonly Capability[]
  readonly claims: readonly Feature[]
  readonly results: readonly Result[]
  /** Verdicts by profile. A case that was not run makes a verdict partial. */
  readonly verdicts: Readonly<Partial<Record<Profile, Verdict>>>
  /** The numbers of cases behind the verdicts. */
  readonly tallies: Readonly<Partial<Record<Profile, Tally>>>
  /** The verdict over all claimed features, in the profile of the run, if some are not claimed. */
  readonly claimed?: Tally
  /** Verdicts of the claimed features, in the profile of the run. */
  readonly features: Readonly<Partial<Record<Feature, Tally>>>
  /** Exit code of the command. */
  readonly exitCode: number
  /** Why the run is not valid, if it is not. */
  readonly invalid?: string
  /** Paths of created resources that could not be deleted. */
  readonly left: readonly string[]
  readonly ms: number
}

/** Runs the cases of a profile, in an order made from the seed. */
export async function run(given: Target, options: RunOptions = {}): Promise<Run> {
  const {
    claims = features,
    profile = 'core',
    seed = Math.floor(Math.random() * 2 ** 31),
    contract = new Contract(),
  } = options
  const requirements = new Map((options.requirements ?? readRequirements()).map(one => [one.id, one]))
  const planned = shuffled(options.cases ?? cases, seed).flatMap(one => {
    const requirement = requirements.get(one.requirement)
    if (!requirement) throw new Error(`case ${one.id} has no requirement`)
    const asked = profile === 'surrogate' || requirement.profile === 'core'
    return asked && requirement.status !== 'withdrawn' ? [{ one, requirement }] : []
  })
  const started = performance.now()
  let results: Result[] = []
  const left: string[] = []
  let inbox: Promise<Inbox> | undefined
  const profiles = profile === 'core' ? (['core'] as const) : (['core', 'surrogate'] as const)
  const finish = (
    invalid?: string,
    capabilities: readonly Capability[] = [],
    verdict: 'incomplete' | 'invalid run' = 'invalid run',
  ): Run => {
    // What a run that ended early says of a part is not a verdict on that part.
    const ended = invalid !== undefined ? verdict : planned.length === 0 ? 'invalid run' : undefined
    const judged = (tally: Tally): Tally => (ended === undefined ? tally : { ...tally, verdict: ended })
    const tallyIn = (name: Profile): Tally => {
      const total = planned.filter(({ requirement }) => counts(requirement.profile, name)).length
      return judged({ ...tallyOf(results, name), total })
    }
    const ofFeatures = Object.entries(featureTallies(results, profile, claims))
    const tallies = Object.fromEntries(profiles.map(name => [name, tallyIn(name)]))
    return {
      profile,
      seed,
      capabilities,
      claims,
      results,
      tallies,
      verdicts: Object.fromEntries(profiles.map(name => [name, tallies[name]?.verdict])),
      ...(claimsAll(claims) ? {} : { claimed: judged(claimedTally(results, profile, claims)) }),
      features: Object.fromEntries(ofFeatures.map(([name, tally]) => [name, judged(tally)])),
      exitCode: ended ? exitCodes[ended] : exitCodeOf(results, profile, claims),
      ...(invalid === undefined ? {} : { invalid }),
      left,
      ms: performance.now() - started,
    }
  }
  const refusal = unknownIds(options, planned)
  if (refusal) return finish(refusal)
  const { limitMs = 15 * 60_000 } = options
  const end = endOf(limitMs, options.signal)
  const transport = given.fetch ? byFetch(given.fetch) : overHttp()
  const target = { ...given, send: guarded(transport, { ...given, signal: end.signal }) }
  // Cleaning up is still possible after the end.
  const cleaner = { ...given, send: guarded(transport, given) }
  let has: ReadonlySet<Capability>
  try {
    has = options.capabilities ?? (await probe(target))
  } catch (error) {
    end.clear()
    if (error instanceof Unreachable) return finish(error.message)
    if (error instanceof Interrupted) return finish(end.reason(), [], 'incomplete')
    throw error
  }
  const openOnce = () => {
    inbox ??= openInbox(target.callbackHost ?? '127.0.0.1')
    return inbox
  }
  const common = new Recorder(target, contract, options.carrier, claims)
  const fixtures = new Fixtures({ target, has: name => has.has(name), inbox: openOnce }, common)
  const baseOf = ({ one, requirement }: (typeof planned)[number]) => ({
    case: one,
    requirement,
    features: featuresOf(one, requirement, claims),
  })
  const everyResponse = new EveryResponse(
    planned.flatMap(one =>
      whyNotRun(baseOf(one), has, { ...options, claims }) === undefined ? [one.requirement.id] : [],
    ),
  )
  let stopped: string | undefined
  /** Runs one case. Sets `stopped` if the run cannot go on. */
  const perform = async (plan: (typeof planned)[number]): Promise<void> => {
    const { one, requirement } = plan
    const recorder = new Recorder(target, contract, options.carrier, claims, common)
    const context = fixtures.contextFor(recorder)
    const begun = performance.now()
    const expected = options.expected?.[one.id] ?? options.expected?.[requirement.id]
    const base = {
      ...baseOf(plan),
      exchanges: recorder.exchanges,
      ...(expected === undefined ? {} : { expected }),
    }
    const attempt = await runCase(base, context, has, { ...options, claims })
    left.push(...(await cleanUp(cleaner, recorder.made)), ...recorder.unanswered)
    if (end.signal.aborted) {
      stopped ??= end.reason()
      return
    }
    const wasRun = attempt.notSupported === undefined && attempt.skipped === undefined
    const complaints = wasRun ? everyResponse.take(one.id, requirement.id, recorder.complaints) : []
    // They say what the form of the response is, and the case only that it could not read it.
    const isSaidBetter =
      attempt.cannotRead && complaints.some(one => counts(one.profile, requirement.profile))
    const findings: FoundHere[] = [
      ...(isSaidBetter ? [] : (attempt.findings ?? [])),
      ...(wasRun ? context.findings.map(found => ({ profile: 'surrogate' as const, ...found })) : []),
      ...complaints,
    ]
    const ms = performance.now() - begun
    const used = new Set([...base.features, ...recorder.used, ...(attempt.unclaimed ?? [])])
    const result: Result = {
      ...base,
      ...attempt,
      features: used,
      findings,
      carried: [...recorder.carried],
      ms,
    }
    results.push(result)
    if (!isOfEveryResponse(requirement.id)) options.onResult?.(result, planned.length)
    if (attempt.noAnswer && !(await isReachable(target)))
      stopped ??= end.signal.aborted ? end.reason() : 'the target stopped responding'
  }
  const having = (turn: ReturnType<typeof turnOf>) => planned.filter(one => turnOf(one) === turn)
  const [together, alone] = [[...having('first'), ...having('any')], having('alone')]
  const inTurn = async (queue: (typeof planned)[number][]) => {
    for (let next = queue.shift(); next && stopped === undefined; next = queue.shift()) await perform(next)
  }
  try {
    await Promise.all(Array.from({ length: options.concurrency ?? 1 }, () => inTurn(together)))
    await inTurn(alone)
  } finally {
    left.push(...(await cleanUp(cleaner, common.made)), ...common.unanswered)
    end.clear()
    await (await inbox)?.close()
  }
  results = everyResponse.addTo(results)
  for (const result of results)
    if (isOfEveryResponse(result.requirement.id)) options.onResult?.(result, planned.length)
  if (stopped !== undefined) return finish(stopped, [...has], 'incomplete')
  // Who selects cases knows that others are not run.
  const isSelection = options.only?.length || options.sections?.length
  return finish(isSelection ? undefined : emptyClaims(results, profile, claims), [...has])
}

/** Cases that move the target's clock run alone: they would end the sessions of cases that run at the same time. */
const turnOf = ({ one, requirement }: { readonly one: Case; readonly requirement: Requirement }) =>
  [...requirement.needs, ...one.needs].includes('clock') ? 'alone' : (one.turn ?? 'any')

interface Attempt {
  readonly findings?: readonly FoundHere[]
  readonly notSupported?: string
  readonly skipped?: string
  readonly error?: string
  readonly noAnswer?: boolean
  /** The case read a member of something that is none. */
  readonly cannotRead?: boolean
  /** Features that the case would use and that are not claimed. */
  readonly unclaimed?: readonly Feature[]
}

async function runCase(
  base: Pick<Result, 'case' | 'requirement' | 'features' | 'exchanges'>,
  context: Context,
  has: ReadonlySet<Capability>,
  options: RunOptions,
): Promise<Attempt> {
  const { case: one, requirement } = base
  const left = whyNotRun(base, has, options)
  if (left) return left
  try {
    await one.run(context)
    await demandControls(context, base.exchanges)
    return {}
  } catch (error) {
    if (error instanceof NotClaimed)
      return { notSupported: error.message, unclaimed: error.features.filter(isFeature) }
    if (error instanceof NotSupported) return { notSupported: error.message }
    const found = (message: string, evidence: Evidence = {}) => [
      { profile: requirement.profile, message, ...evidence },
    ]
    if (error instanceof Finding)
      return { findings: found(error.message, error.evidence), noAnswer: error instanceof NoAnswer }
    // The case read a member that is missing: the response does not have the expected form.
    if (error instanceof TypeError) return { findings: found(missingMember(error)), cannotRead: true }
    return { error: error instanceof Error ? error.message : 'the case itself failed' }
  }
}

/** Says which member a case has read of something that is not an object. */
function missingMember({ message }: TypeError): string {
  const [, found, name] =
    /^Cannot read properties of (undefined|null) \(reading '(.+)'\)$/.exec(message) ?? []
  return name === undefined
    ? `expected a response of another form: ${message}`
    : `expected an object or a list with ${name} in a response, found ${found}`
}

/** Returns why a case is not run, as far as that is known before. */
function whyNotRun(
  { case: one, requirement, features }: Pick<Result, 'case' | 'requirement' | 'features'>,
  has: ReadonlySet<Capability>,
  { only = [], sections = [], skip = {}, claims = [] }: RunOptions,
): Attempt | undefined {
  const isSelected = (pattern: string) => matching(pattern, one)
  if (only.length > 0 && !only.some(isSelected)) return { skipped: 'not selected by --only' }
  if (sections.length > 0 && !sections.includes(requirement.section))
    return { skipped: 'not selected by --section' }
  const reason = Object.entries(skip).find(([pattern]) => isSelected(pattern))?.[1]
  if (reason !== undefined) return { skipped: reason }
  const unclaimed = [...features].filter(name => !claims.includes(name))
  if (unclaimed.length > 0) return { notSupported: `not claimed: ${unclaimed.join(', ')}` }
  const missing = [...requirement.needs, ...one.needs].filter(name => !has.has(name))
  return missing.length === 0 ? undefined : { notSupported: [...new Set(missing)].join(', ') }
}

function unknownIds(
  { only = [], sections = [], skip = {}, expected = {} }: RunOptions,
  planned: readonly { readonly one: Case; readonly requirement: Requirement }[],
): string | undefined {
  const patterns = [...only, ...Object.keys(skip), ...Object.keys(expected)]
  const unknown = patterns.filter(pattern => !planned.some(({ one }) => matching(pattern, one)))
  if (unknown.length > 0) return `this profile has no case for ${unknown.join(', ')}`
  const empty = sections.filter(name => !planned.some(({ requirement }) => requirement.section === name))
  return empty.length === 0 ? undefined : `this profile has no section ${empty.join(', ')}`
}
