import { readdirSync, readFileSync } from 'node:fs'
import type { Report } from '../src/report/model.ts'
import type { Tally } from '../src/verdict.ts'

/** Folder of published reports, one folder for each server. */
export const published = new URL('../reports/', import.meta.url)

export const reportIn = (name: string): Report =>
  JSON.parse(readFileSync(new URL(`${name}/report.json`, published), 'utf8'))

/** Names of the folders of published reports. */
export const publishedNames = (): string[] =>
  readdirSync(published, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()

/** Returns the text of `reports/README.md` with the table of published reports. */
export function withTable(text: string): string {
  const cell = (tally: Tally | undefined) =>
    tally === undefined ? '' : `${tally.passed} of ${tally.total}, ${tally.verdict}`
  const rows = publishedNames().map(name => {
    const { target, tallies, suite, started_at } = reportIn(name)
    const cells = [
      `[${target.name}](${name}/report.html)`,
      target.version,
      cell(tallies.core),
      cell(tallies.surrogate),
      started_at.slice(0, 10),
      suite.version,
      target.contact,
    ]
    return `| ${cells.join(' | ')} |`
  })
  const head =
    '| server | version | core | surrogate | date | suite | contact |\n| --- | --- | --- | --- | --- | --- | --- |'
  return text.replace(
    /(<!-- reports -->\n)[\s\S]*(<!-- end of reports -->)/,
    (_all, start, end) => `${start}${[head, ...rows].join('\n')}\n${end}`,
  )
}
