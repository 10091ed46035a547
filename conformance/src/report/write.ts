import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { htmlOf } from './html.ts'
import { junitOf } from './junit.ts'
import type { Report } from './model.ts'

const colors = {
  conformant: 'brightgreen',
  partial: 'yellow',
  'not conformant': 'red',
  'invalid run': 'lightgrey',
}

/** Writes the four files of a report into a folder, which is created if it does not exist. */
export async function writeReport(folder: string, report: Report): Promise<void> {
  const verdict = report.verdicts[report.profile] ?? 'invalid run'
  const badge = {
    schemaVersion: 1,
    label: `tokenization ${report.profile}`,
    message: verdict,
    color: colors[verdict],
  }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`)
  await writeFile(join(folder, 'report.html'), htmlOf(report))
  await writeFile(join(folder, 'junit.xml'), junitOf(report))
  await writeFile(join(folder, 'badge.json'), `${JSON.stringify(badge)}\n`)
}
