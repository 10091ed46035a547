import type { Tally } from '../verdict.ts'
import type { Report } from './model.ts'

const shown = (tally: Tally | undefined) =>
  tally === undefined ? 'not claimed' : `${tally.passed} of ${tally.total}, ${tally.verdict}`

/** Returns the verdicts of several reports beside each other, as a table in Markdown: profiles, then claimed features. */
export function tableOf(reports: readonly Report[]): string[] {
  const rows = (of: (report: Report) => Readonly<Partial<Record<string, Tally>>>) =>
    [...new Set(reports.flatMap(report => Object.keys(of(report))))].map(
      name => `| ${name} | ${reports.map(report => shown(of(report)[name])).join(' | ')} |`,
    )
  // The numbers of a feature are those of the profile.
  const names = reports.map(({ target, profile }) =>
    [target.name ?? target.base_url, target.version, `(${profile})`]
      .filter(text => text !== undefined)
      .join(' ')
      .replaceAll(/[|\n]/g, ' '),
  )
  return [
    `| | ${names.join(' | ')} |`,
    `| --- |${' --- |'.repeat(reports.length)}`,
    ...rows(({ tallies }) => tallies),
    ...rows(({ features }) => features),
  ]
}
