/** Writes the report of a failed test: what happened in its tenant on one timeline, as HTML and as JSON. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DevTimeline, DevTimelineEntry } from '@surrogate/sdk/dev'
import { version } from './version.ts'

interface Failed {
  readonly title: string
  readonly error: unknown
  readonly timeline: DevTimeline
}

/** Creates the folder if it does not exist. Resolves with the path of the HTML file. */
export async function writeReport(folder: string, { title, error, timeline }: Failed): Promise<string> {
  // Its message may contain data. The test runner shows it.
  const { name } = Object(error)
  const failure = /^[A-Za-z]{1,60}$/.test(name) ? String(name) : 'a failed assertion'
  const report = { title, failure, server: version, ...timeline }
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${fileName(title)}-${crypto.randomUUID().slice(0, 8)}`)
  await writeFile(`${path}.json`, `${JSON.stringify(report, undefined, 2)}\n`)
  await writeFile(`${path}.html`, htmlOf(report))
  return `${path}.html`
}

/** A title may contain anything: only letters are taken. */
function fileName(title: string): string {
  const words = title.toLowerCase().match(/[a-z]+/g) ?? []
  return words.join('-').slice(0, 60) || 'test'
}

function htmlOf({
  title,
  failure,
  now,
  data,
  faults,
}: DevTimeline & { title: string; failure: string }): string {
  const start = Date.parse(data[0]?.at ?? now)
  const rows = data.map(entry => {
    const { kind, at } = entry
    const isBad = (entry.status ?? 0) >= 400 || entry.faulty === true
    return `<tr class="${kind}${isBad ? ' bad' : ''}"><td title="${text(at)}">+${elapsed(Date.parse(at) - start)}</td><td>${kind}</td><td>${text(summary(entry))}</td><td>${code(entry.body)}</td></tr>`
  })
  const unused = faults.filter(({ left }) => left > 0)
  const rest = unused.map(
    ({ fault, used, left }) => `<li>${code(fault)} used ${used} of ${used + left} times</li>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${text(title)}</title>
<style>
body{font:14px/1.5 system-ui,sans-serif;margin:2rem;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #ddd}
code{font-size:12px;overflow-wrap:anywhere}
.bad td{background:#fdecea}
.fault td,.clock td,.restore td{background:#f3f4f6}
</style></head><body>
<h1>${text(title)}</h1>
<p>Failed with ${text(failure)}. Time of the tenant: ${text(now)}. Values are shown by their type and length.</p>
${rest.length > 0 ? `<h2>Faults that were not used</h2><ul>${rest.join('')}</ul>` : ''}
<h2>What happened</h2>
${rows.length > 0 ? `<table><thead><tr><th>time</th><th>what</th><th></th><th>content</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>` : '<p>Nothing.</p>'}
</body></html>
`
}

/** Says in one line what an entry was. */
function summary(entry: DevTimelineEntry): string {
  const { number, operation, status, error, permission, repeats, faulty, formula, fault } = entry
  const { reactor_id, attempt, level } = entry
  const parts = {
    request: [
      `${number}: ${operation} ${status ?? 'no response'}`,
      error?.replace('urn:surrogate:error:', ''),
      permission && `needs ${permission}`,
      repeats !== undefined && `repeats ${repeats}`,
      faulty && 'by an ordered fault',
      formula && 'by a formula',
    ],
    webhook: [`attempt ${attempt} of reactor ${reactor_id}: ${status}`],
    console: [`${level} of reactor ${reactor_id}`],
    fault: [`ordered ${JSON.stringify(fault)}`],
    clock: ['the clock was moved'],
    restore: ['a snapshot was restored'],
  }[entry.kind]
  return parts.filter(part => typeof part === 'string').join(', ')
}

function elapsed(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(0)} min`
}

const code = (value: unknown) => (value === undefined ? '' : `<code>${text(JSON.stringify(value))}</code>`)

const text = (value: string) => value.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
