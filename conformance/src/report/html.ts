import { outcomes } from '../verdict.ts'
import { escaped } from './junit.ts'
import type { Report, ReportedCase } from './model.ts'

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;border-bottom:1px solid #ccc;text-align:left}td.n{text-align:right}
pre{background:#f4f4f4;padding:.8rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.verdict{font-size:1.4rem}.fail,.error{color:#a40000}.pass{color:#05620e}details{margin:.5rem 0}`

/** Returns the report as one self-contained page: verdict, matrix, and the exchanges of each failure. */
export function htmlOf(report: Report): string {
  const verdicts = Object.entries(report.verdicts).map(
    ([profile, verdict]) =>
      `<p class="verdict ${verdict === 'conformant' ? 'pass' : 'fail'}">${escaped(profile)}: <strong>${escaped(verdict)}</strong></p>`,
  )
  const rows = Object.entries(report.totals).map(
    ([section, counts]) =>
      `<tr><th scope="row">${escaped(section)}</th>${outcomes.map(name => `<td class="n">${counts[name] ?? ''}</td>`).join('')}</tr>`,
  )
  const failures = report.cases.filter(one => one.findings.length > 0)
  const others = report.cases.filter(one => one.reason !== undefined)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escaped(report.target.base_url)}</title><style>${style}</style></head><body>
<h1>Conformance of ${escaped(report.target.base_url)}</h1>
${verdicts.join('\n')}
${report.invalid === undefined ? '' : `<p class="fail">The run is not valid: ${escaped(report.invalid)}</p>`}
<p>Suite ${escaped(report.suite.version)}, profile ${escaped(report.profile)}, through ${escaped(report.through)}, seed ${report.seed},
${report.cases.length} cases in ${(report.duration_ms / 1000).toFixed(1)} s on ${escaped(report.started_at)}.
Capabilities: ${escaped(report.target.capabilities.join(', ') || 'none')}.</p>
<h2>Sections</h2>
<table><thead><tr><th>section</th>${outcomes.map(name => `<th>${name}</th>`).join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
<h2>Findings</h2>
${failures.length === 0 ? '<p>None.</p>' : failures.map(failureOf).join('\n')}
<h2>Not run</h2>
${others.length === 0 ? '<p>All cases were run.</p>' : `<ul>${others.map(one => `<li>${escaped(one.id)} ${escaped(one.title)}: ${one.outcome}, ${escaped(one.reason ?? '')}</li>`).join('\n')}</ul>`}
<p>Contract sha256 ${escaped(report.suite.contract)}, requirements sha256 ${escaped(report.suite.requirements)}.</p>
</body></html>
`
}

function failureOf(one: ReportedCase): string {
  return `<section><h3 id="${escaped(one.id)}" class="${one.outcome}">${escaped(one.id)} ${escaped(one.title)}</h3>
<p>Requirement (${escaped(one.profile)}, section ${escaped(one.section)}, ${escaped(one.level)}): ${escaped(one.text)}</p>
<ul>${one.findings.map(message => `<li>${escaped(message)}</li>`).join('')}</ul>
${one.exchanges.map((text, index) => `<details${index === one.exchanges.length - 1 ? ' open' : ''}><summary>Exchange ${index + 1}</summary><pre>${escaped(text)}</pre></details>`).join('\n')}
</section>`
}
