import { createHash } from 'node:crypto'
import { readContract, readPackageFile } from '../files.ts'
import type { Profile } from '../harness/finding.ts'
import { sectionName } from '../harness/requirements.ts'
import type { Target } from '../harness/target.ts'
import { nextSteps, stepText } from '../next.ts'
import type { Redact } from '../redact.ts'
import type { Result } from '../result.ts'
import type { Run } from '../run.ts'
import { type Outcome, outcomeOf, type Verdict } from '../verdict.ts'
import { messagesOf, type ShownFinding, shownExchange, shownFindings } from './shown.ts'
import { linkOf } from './specification.ts'
import { summaryOf } from './tap.ts'

/** How a report names the server. */
export interface Identity {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly contact: string | undefined
}

/** The content of a report, from which all its files are made. */
export interface Report {
  readonly suite: { readonly version: string; readonly contract: string; readonly requirements: string }
  readonly target: {
    readonly name?: string
    readonly version?: string
    readonly contact?: string
    readonly base_url: string
    readonly header_prefix: string
    readonly capabilities: readonly string[]
  }
  readonly profile: Profile
  readonly through: string
  readonly seed: number
  readonly started_at: string
  readonly duration_ms: number
  readonly invalid?: string
  /** The verdicts as text: `core: 84 of 185, partial`. */
  readonly summary: string
  readonly tallies: Run['tallies']
  /** The verdict of what is claimed, if that is not everything. */
  readonly claimed?: Run['claimed']
  /** Verdicts of the claimed features. */
  readonly features: Run['features']
  readonly claims: readonly string[]
  /** What cases did not pass for, in the order in which to do it. */
  readonly next: readonly NextStep[]
  readonly left: readonly string[]
  readonly verdicts: Readonly<Partial<Record<Profile, Verdict>>>
  readonly totals: Readonly<Record<string, Readonly<Partial<Record<Outcome, number>>>>>
  readonly cases: readonly ReportedCase[]
}

interface NextStep {
  readonly what: string
  readonly reason: string
  readonly feature: string
  readonly cases: readonly string[]
  /** The requirement that the server breaks, if it is not an operation or a setting that is missing. */
  readonly requirement?: string
  readonly text?: string
}

export interface ReportedCase {
  readonly id: string
  readonly title: string
  readonly requirement: string
  readonly profile: Profile
  readonly section: string
  readonly level: string
  /** The sentence of the specification, in our own words. */
  readonly text: string
  /** Place of the sentence in `specification.html`, beside the report. */
  readonly link: string
  readonly outcome: Outcome
  readonly reason?: string
  readonly findings: readonly string[]
  /** Each finding with the exchange that shows it. */
  readonly details: readonly ShownFinding[]
  /** Requests and responses, if the case did not pass. */
  readonly exchanges: readonly string[]
  readonly duration_ms: number
}

interface About {
  readonly target: Target
  readonly identity?: Identity
  readonly through: string
  readonly startedAt: Date
  readonly redact: Redact
}

export function reportOf(run: Run, { target, identity, through, startedAt, redact }: About): Report {
  const reported = [...run.results]
    .sort((a, b) => (a.case.id < b.case.id ? -1 : 1))
    .map(result => reportedCase(result, run.profile, redact))
  return {
    suite: {
      version: JSON.parse(readPackageFile('package.json')).version,
      contract: digest(readContract()),
      requirements: digest(readPackageFile('requirements.yaml')),
    },
    target: {
      ...(identity?.name === undefined ? {} : { name: identity.name }),
      ...(identity?.version === undefined ? {} : { version: identity.version }),
      ...(identity?.contact === undefined ? {} : { contact: identity.contact }),
      base_url: redact(target.baseUrl),
      header_prefix: target.headerPrefix,
      capabilities: [...run.capabilities].sort(),
    },
    profile: run.profile,
    through,
    seed: run.seed,
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(run.ms),
    ...(run.invalid === undefined ? {} : { invalid: run.invalid }),
    summary: summaryOf(run),
    tallies: run.tallies,
    ...(run.claimed && { claimed: run.claimed }),
    features: run.features,
    claims: run.claims,
    next: nextSteps(run.results, run.profile, run.claims).map(step => ({
      what: stepText(step),
      reason: step.reason,
      feature: step.feature,
      cases: step.cases,
      ...(step.requirement && { requirement: step.requirement.id, text: step.requirement.text }),
    })),
    left: run.left,
    verdicts: run.verdicts,
    totals: totalsOf(reported),
    cases: reported,
  }
}

function reportedCase(result: Result, profile: Profile, redact: Redact): ReportedCase {
  const { case: one, requirement, exchanges } = result
  const outcome = outcomeOf(result, profile)
  const reason = result.notSupported ?? result.skipped ?? result.expected
  const isFailure = ['fail', 'warn', 'error', 'expected-failure'].includes(outcome)
  return {
    id: one.id,
    title: one.title,
    requirement: requirement.id,
    profile: requirement.profile,
    section: requirement.section,
    level: requirement.level,
    text: requirement.text,
    link: linkOf(requirement),
    outcome,
    ...(reason === undefined ? {} : { reason }),
    findings: messagesOf(result, profile).map(message => redact(message, exchanges)),
    details: shownFindings(result, profile, redact),
    exchanges: isFailure ? exchanges.map(exchange => redact(shownExchange(exchange), exchanges)) : [],
    duration_ms: Math.round(result.ms),
  }
}

/** Returns the numbers of outcomes by section, the sections of the specification first. */
function totalsOf(all: readonly ReportedCase[]): Report['totals'] {
  const totals: Record<string, Partial<Record<Outcome, number>>> = {}
  const ordered = [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  for (const one of ordered) {
    const section = sectionName(one)
    totals[section] ??= {}
    totals[section][one.outcome] = (totals[section][one.outcome] ?? 0) + 1
  }
  return totals
}
const key = (one: ReportedCase) => `${one.profile} ${one.section}`

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
