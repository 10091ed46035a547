import type { Report } from '../src/report/model.ts'
import { outcomes } from '../src/verdict.ts'

/** Returns the text of `conformance/README.md` with the table of the totals of a run. */
export function withTotals(text: string, totals: Report['totals']): string {
  const shown = outcomes.filter(name => Object.values(totals).some(counts => counts[name] !== undefined))
  const table = [
    `| section | ${shown.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(shown.length)}`,
    ...Object.entries(totals).map(
      ([section, counts]) => `| ${section} | ${shown.map(name => counts[name] ?? '').join(' | ')} |`,
    ),
  ].join('\n')
  const between = /(<!-- totals -->\n)[\s\S]*(<!-- end of totals -->)/
  if (!between.test(text)) throw new Error('conformance/README.md has no <!-- totals -->')
  return text.replace(between, (_all, start, end) => `${start}${table}\n${end}`)
}
