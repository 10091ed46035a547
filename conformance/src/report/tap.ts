import type { Feature } from '../features.ts'
import type { Profile } from '../harness/finding.ts'
import { nextSteps, stepText } from '../next.ts'
import type { Redact } from '../redact.ts'
import { isLeftOut, type Result } from '../result.ts'
import type { Run } from '../run.ts'
import { claimsAll, outcomeOf, outcomes, tallyText } from '../verdict.ts'
import { shownFindings } from './shown.ts'

/** Returns the result of a case as lines of TAP 14, with the details of a failure. */
export function tapLines(result: Result, number: number, profile: Profile, redact: Redact): string[] {
  const { case: one, requirement } = result
  const outcome = outcomeOf(result, profile)
  const name = `${one.id} ${one.title}`.replaceAll('#', '\\#')
  if (outcome === 'pass') return [`ok ${number} - ${name}`]
  if (outcome === 'not-supported')
    return [`ok ${number} - ${name} # SKIP not supported: ${result.notSupported}`]
  if (outcome === 'unexpected-pass')
    return [`not ok ${number} - ${name} (passes, although a failure is expected: ${result.expected})`]
  if (outcome === 'skipped') return [`ok ${number} - ${name} # SKIP ${result.skipped}`]
  const todo =
    outcome === 'warn'
      ? ` # TODO ${requirement.level} ${requirement.status}`
      : outcome === 'expected-failure'
        ? ` # TODO expected: ${result.expected}`
        : ''
  const findings = shownFindings(result, profile, redact).flatMap((found, index) =>
    Object.entries(found).map(([key, value]) => [index === 0 ? key : `${key}_${index + 1}`, value]),
  )
  const details = [
    [
      'requirement',
      `${requirement.id} (${requirement.profile}, section ${requirement.section}): ${requirement.text}`,
    ],
    ...findings,
  ]
  return [
    `not ok ${number} - ${name}${todo}`,
    '  ---',
    ...details.map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
    '  ...',
  ]
}

/**
 * Returns the verdicts of a run as text: `core: 84 of 185, partial`. If only some features are claimed, what is claimed
 * comes first: `claimed tokens, types: 84 of 84, conformant; core: 84 of 185, partial`.
 */
export const summaryOf = (run: Run): string =>
  [
    ...(run.claimed ? [tallyText(`claimed ${run.claims.join(', ')}`, run.claimed)] : []),
    ...Object.entries(run.tallies).map(([profile, tally]) => tallyText(profile, tally)),
  ].join('; ')

/** Number of next steps in the output. The report has all. */
const shownSteps = 10

/** Returns the last lines: what to do next, totals, and the verdict as the very last. */
export function tapEnd(run: Run): string[] {
  const steps = nextSteps(run.results, run.profile, run.claims)
  const outcomesOf = run.results.map(result => outcomeOf(result, run.profile))
  const totals = outcomes.flatMap(name => {
    const count = outcomesOf.filter(outcome => outcome === name).length
    return count === 0 ? [] : [`${count} ${name}`]
  })
  const without = claimsAll(run.claims) ? [] : run.claims.filter(name => !(name in run.features))
  const asked = new Set(run.results.flatMap(one => (isLeftOut(one) ? [] : [...one.features])))
  const claimed = Object.entries(run.features)
    .filter(([name]) => asked.has(name as Feature))
    .map(([name, tally]) => `#   ${tallyText(name, tally)}`)
  return [
    ...(run.invalid === undefined ? [] : [`Bail out! ${run.invalid}`]),
    ...(run.left.length === 0 ? [] : [`# ${run.left.length} created resources could not be deleted`]),
    ...run.left.slice(0, 20).map(path => `#   ${path}`),
    ...(steps.length === 0 ? [] : [`# do these next (${steps.length} in all):`]),
    ...steps
      .slice(0, shownSteps)
      .map(step => `#   ${stepText(step)}${step.requirement ? `: ${step.requirement.text}` : ''}`),
    ...(claimed.length === 0 ? [] : ['# claimed features (a case may test several):', ...claimed]),
    ...without.map(name => `# note: ${name} is claimed, and the profile ${run.profile} has no case of it`),
    `# seed ${run.seed}, ${run.results.length} cases, ${(run.ms / 1000).toFixed(1)} s: ${totals.join(', ')}`,
    `# verdict: ${summaryOf(run)}`,
  ]
}
