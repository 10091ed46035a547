import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRequirements } from '../harness/requirements.ts'
import { htmlOf } from './html.ts'
import { junitOf } from './junit.ts'
import type { Report } from './model.ts'
import { specificationPage } from './specification.ts'

const colors = {
  conformant: 'brightgreen',
  partial: 'yellow',
  'not conformant': 'red',
  incomplete: 'lightgrey',
  'invalid run': 'lightgrey',
}

/** Returns the verdict with its numbers: `84 of 185, partial`. */
function badgeText({ tallies, profile }: Report): string {
  const tally = tallies[profile]
  return tally === undefined ? 'invalid run' : `${tally.passed} of ${tally.total}, ${tally.verdict}`
}

/** Writes the five files of a report into a folder, which is created if it does not exist. */
export async function writeReport(folder: string, report: Report): Promise<void> {
  const verdict = report.verdicts[report.profile] ?? 'invalid run'
  const badge = {
    schemaVersion: 1,
    label: `tokenization ${report.profile}`,
    message: badgeText(report),
    color: colors[verdict],
  }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 1)}\n`)
  await writeFile(join(folder, 'report.html'), htmlOf(report))
  await writeFile(join(folder, 'specification.html'), specificationPage(readRequirements()))
  await writeFile(join(folder, 'junit.xml'), junitOf(report))
  await writeFile(join(folder, 'badge.json'), `${JSON.stringify(badge)}\n`)
}
