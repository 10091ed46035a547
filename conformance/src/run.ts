import type { Capability } from './capabilities.ts'
import { allCases } from './cases/index.ts'
import { type Inbox, openInbox } from './harness/callback.ts'
import type { Case } from './harness/case.ts'
import { cleanUp } from './harness/clean-up.ts'
import { Context } from './harness/context.ts'
import { Contract } from './harness/contract.ts'
import { Finding, NotSupported, type Profile, Unreachable } from './harness/finding.ts'
import { guarded, Interrupted } from './harness/guard.ts'
import { probe } from './harness/probe.ts'
import { NoAnswer, Recorder } from './harness/recorder.ts'
import { type Requirement, readRequirements } from './harness/requirements.ts'
import type { Carrier, Target } from './harness/target.ts'
import type { FoundHere, Result } from './result.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export const cases = allCases

export interface RunOptions {
  readonly profile?: Profile
  /** Ids of requirements or cases; all others are skipped. */
  readonly only?: readonly string[]
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
  /** Time limit of the whole run, in milliseconds. Default 15 minutes. */
  readonly limitMs?: number
  /** Called with each result, and with the total number of cases. */
  readonly onResult?: (result: Result, count: number) => void
}

export interface Run {
  readonly profile: Profile
  readonly seed: number
  readonly capabilities: readonly Capability[]
  readonly results: readonly Result[]
  /** Verdicts by profile. */
  readonly verdicts: Readonly<Partial<Record<Profile, Verdict>>>
  /** Why the run is not valid, if it is not. */
  readonly invalid?: string
  /** Paths of created resources that could not be deleted. */
  readonly left: readonly string[]
  readonly ms: number
}

/** Runs the cases of a profile, one after the other in an order made from the seed. */
export async function run(subject: Target, options: RunOptions = {}): Promise<Run> {
  const { profile = 'core', seed = Math.floor(Math.random() * 2 ** 31), contract = new Contract() } = options
  const requirements = new Map((options.requirements ?? readRequirements()).map(one => [one.id, one]))
  const planned = shuffled(options.cases ?? cases, seed).flatMap(one => {
    const requirement = requirements.get(one.requirement)
    if (!requirement) throw new Error(`case ${one.id} has no requirement`)
    const asked = profile === 'surrogate' || requirement.profile === 'core'
    return asked && requirement.status !== 'withdrawn' ? [{ one, requirement }] : []
  })
  const started = performance.now()
  const results: Result[] = []
  const left: string[] = []
  let inbox: Promise<Inbox> | undefined
  const finish = (invalid?: string, capabilities: readonly Capability[] = []): Run => ({
    profile,
    seed,
    capabilities,
    results,
    verdicts: Object.fromEntries(
      (profile === 'core' ? (['core'] as const) : (['core', 'surrogate'] as const)).map(name => [
        name,
        invalid === undefined ? verdictOf(results, name, planned.length) : 'invalid run',
      ]),
    ),
    ...(invalid === undefined ? {} : { invalid }),
    left,
    ms: performance.now() - started,
  })
  const refusal = unknownIds(
    options,
    planned.map(({ one }) => one),
  )
  if (refusal) return finish(refusal)
  const { limitMs = 15 * 60_000 } = options
  const end = endOf(limitMs, options.signal)
  const target = { ...subject, fetch: guarded(subject.fetch, { ...subject, signal: end.signal }) }
  // Cleaning up is still possible after the end, for a short time.
  const cleaner = {
    ...subject,
    fetch: guarded(subject.fetch, { timeoutMs: Math.min(subject.timeoutMs, 5_000) }),
  }
  let has: ReadonlySet<Capability>
  try {
    has = await probe(target)
  } catch (error) {
    end.clear()
    if (error instanceof Unreachable) return finish(error.message)
    if (error instanceof Interrupted) return finish(end.reason())
    throw error
  }
  const openOnce = () => {
    inbox ??= openInbox(target.callbackHost ?? '127.0.0.1')
    return inbox
  }
  try {
    for (const { one, requirement } of planned) {
      const recorder = new Recorder(target, contract, options.carrier)
      const context = new Context({ target, recorder, has: name => has.has(name), inbox: openOnce })
      const begun = performance.now()
      const base = { case: one, requirement, exchanges: recorder.exchanges }
      const attempt = await runCase(one, requirement, context, has, options)
      left.push(...(await cleanUp(cleaner, recorder.made)))
      if (end.signal.aborted) return finish(end.reason(), [...has])
      const findings = [
        ...(attempt.findings ?? []),
        ...(attempt.notSupported === undefined && attempt.skipped === undefined
          ? [
              ...context.findings.map(message => ({ profile: 'surrogate' as const, message })),
              ...recorder.complaints,
            ]
          : []),
      ]
      const ms = performance.now() - begun
      const result: Result = { ...base, ...attempt, findings, carried: [...recorder.carried], ms }
      results.push(result)
      options.onResult?.(result, planned.length)
      if (attempt.noAnswer && !(await isReachable(target)))
        return finish('the target stopped responding', [...has])
    }
  } finally {
    end.clear()
    await (await inbox)?.close()
  }
  return finish(undefined, [...has])
}

interface Attempt {
  readonly findings?: readonly FoundHere[]
  readonly notSupported?: string
  readonly skipped?: string
  readonly error?: string
  readonly noAnswer?: boolean
}

async function runCase(
  one: Case,
  requirement: Requirement,
  context: Context,
  has: ReadonlySet<Capability>,
  { only = [], skip = {} }: RunOptions,
): Promise<Attempt> {
  if (only.length > 0 && !only.some(id => id === one.id || id === requirement.id))
    return { skipped: 'not selected by --only' }
  const reason = skip[one.id] ?? skip[requirement.id]
  if (reason !== undefined) return { skipped: reason }
  const missing = [...requirement.needs, ...one.needs].filter(name => !has.has(name))
  if (missing.length > 0) return { notSupported: [...new Set(missing)].join(', ') }
  try {
    await one.run(context)
    return {}
  } catch (error) {
    if (error instanceof NotSupported) return { notSupported: error.message }
    const found = (message: string) => [{ profile: requirement.profile, message }]
    if (error instanceof Finding)
      return { findings: found(error.message), noAnswer: error instanceof NoAnswer }
    // The case read a member that is missing: the response does not have the expected form.
    if (error instanceof TypeError) return { findings: found('a response does not have the expected form') }
    return { error: error instanceof Error ? error.message : 'the case itself failed' }
  }
}

/** Combines the time limit of a run and the caller's signal. */
function endOf(limitMs: number, given: AbortSignal | undefined) {
  const controller = new AbortController()
  const stop = () => controller.abort(given?.reason)
  const timer = setTimeout(
    () => controller.abort(`the run exceeded its limit of ${limitMs / 1000} s`),
    limitMs,
  )
  if (given?.aborted) stop()
  given?.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    reason: () => String(controller.signal.reason),
    clear() {
      clearTimeout(timer)
      given?.removeEventListener('abort', stop)
    },
  }
}

async function isReachable(target: Target): Promise<boolean> {
  return probe(target).then(
    () => true,
    () => false,
  )
}

function unknownIds({ only = [], skip = {} }: RunOptions, planned: readonly Case[]): string | undefined {
  const known = new Set(planned.flatMap(one => [one.id, one.requirement]))
  const unknown = [...only, ...Object.keys(skip)].filter(id => !known.has(id))
  return unknown.length === 0 ? undefined : `this profile has no case for ${unknown.join(', ')}`
}

/** Shuffles items by a seed (mulberry32 and Fisher-Yates), in the same way on every machine. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const made = [...items]
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  for (let last = made.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [made[last] as T, made[other] as T]
    made[last] = b
    made[other] = a
  }
  return made
}
