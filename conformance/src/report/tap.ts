import type { Profile } from '../harness/finding.ts'
import type { Result } from '../result.ts'
import type { Run } from '../run.ts'
import { outcomeOf } from '../verdict.ts'
import { messagesOf, shownExchange } from './shown.ts'

/** Returns the result of a case as lines of TAP 14, with the details of a failure. */
export function tapLines(result: Result, number: number, profile: Profile, redact: Redact): string[] {
  const { case: one, requirement } = result
  const outcome = outcomeOf(result, profile)
  const name = `${one.id} ${one.title}`.replaceAll('#', '\\#')
  if (outcome === 'pass') return [`ok ${number} - ${name}`]
  if (outcome === 'not-supported')
    return [`ok ${number} - ${name} # SKIP not supported: ${result.notSupported}`]
  if (outcome === 'skipped') return [`ok ${number} - ${name} # SKIP ${result.skipped}`]
  const last = result.exchanges.at(-1)
  const details = [
    [
      'requirement',
      `${requirement.id} (${requirement.profile}, section ${requirement.section}): ${requirement.text}`,
    ],
    ...messagesOf(result, profile).map(message => ['found', redact(message, result.exchanges)]),
    ...(last === undefined ? [] : [['last', redact(shownExchange(last), result.exchanges)]]),
  ]
  return [
    `not ok ${number} - ${name}${outcome === 'warn' ? ` # TODO ${requirement.level} ${requirement.status}` : ''}`,
    '  ---',
    ...details.map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
    '  ...',
  ]
}

export type Redact = (text: string, exchanges?: Result['exchanges']) => string

/** Returns the last lines: totals and verdict. */
export function tapEnd(run: Run): string[] {
  const verdicts = Object.entries(run.verdicts).map(([profile, verdict]) => `${profile} ${verdict}`)
  return [
    ...(run.invalid === undefined ? [] : [`Bail out! ${run.invalid}`]),
    ...(run.left.length === 0 ? [] : [`# ${run.left.length} created resources could not be deleted`]),
    ...run.left.slice(0, 20).map(path => `#   ${path}`),
    `# seed ${run.seed}, ${run.results.length} cases, ${(run.ms / 1000).toFixed(1)} s`,
    `# verdict: ${verdicts.join(', ')}`,
  ]
}
