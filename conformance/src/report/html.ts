import { type Outcome, outcomes, type Tally, tallyText } from '../verdict.ts'
import { escaped } from './escaped.ts'
import type { Report, ReportedCase } from './model.ts'
import { style } from './style.ts'

const bad = ['fail', 'error', 'unexpected-pass', 'expected-failure']
const classOf = (text: string) =>
  text === 'conformant' || text === 'pass'
    ? 'good'
    : text === 'not conformant' || bad.includes(text)
      ? 'bad'
      : 'half'

/** Returns the report as one page without scripts: verdict, next steps, matrix, and the exchanges of each failure. */
export function htmlOf(report: Report): string {
  const { target, suite } = report
  const name = [target.name ?? target.base_url, target.version].filter(text => text !== undefined).join(' ')
  const failures = report.cases.filter(one => one.findings.length > 0)
  const facts = {
    server: target.base_url,
    contact: target.contact,
    started: report.started_at,
    duration: `${(report.duration_ms / 1000).toFixed(1)} s, ${report.cases.length} cases`,
    profile: `${report.profile}, through ${report.through}, seed ${report.seed}`,
    claims: report.claims.join(', '),
    capabilities: target.capabilities.join(', ') || 'none',
    suite: `${suite.version}, contract ${suite.contract.slice(0, 12)}, requirements ${suite.requirements.slice(0, 12)}`,
  }
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escaped(name)}</title><style>${style}</style></head><body>
<h1>Conformance of ${escaped(name)}</h1>
${headlineOf(report)}
${report.invalid === undefined ? '' : `<p class="bad">The run is not valid: ${escaped(report.invalid)}</p>`}
<div class="scroll"><table class="small">${Object.entries(facts)
    .map(([key, value]) =>
      value === undefined ? '' : `<tr><th scope="row">${key}</th><td>${escaped(value)}</td></tr>`,
    )
    .join('')}</table></div>
${featuresOf(report)}
${nextOf(report)}
<h2 id="sections">Sections</h2>
${matrixOf(report)}
<h2 id="findings">Findings (${failures.length})</h2>
${failures.length === 0 ? '<p>None.</p>' : failures.map(failureOf).join('\n')}
<h2 id="not-run">Not run</h2>
${notRunOf(report)}
<h2 id="cases">All cases</h2>
<details><summary>${report.cases.length} cases</summary><ul class="small">
${report.cases.map(one => `<li><span class="${classOf(one.outcome)}">${one.outcome}</span> <a href="${escaped(one.link)}">${escaped(one.id)}</a> ${escaped(one.title)}</li>`).join('\n')}
</ul></details>
${report.left.length === 0 ? '' : `<h2>Left behind</h2><p>These could not be deleted:</p><pre>${escaped(report.left.join('\n'))}</pre>`}
</body></html>
`
}

/** What was claimed, and below it what that is of the profile. */
function headlineOf({ claims, claimed, tallies }: Report): string {
  const all = Object.entries(tallies)
  if (!claimed) return all.map(verdictOf).join('\n')
  const texts = all.map(([profile, tally]) => escaped(tallyText(profile, tally)))
  return `${verdictOf([`claimed ${claims.join(', ')}`, claimed])}\n<p class="small">${texts.join('; ')}</p>`
}

function verdictOf([profile, tally]: [string, Tally]): string {
  const { passed, total, verdict } = tally
  return `<p class="verdict ${classOf(verdict)}"><strong>${escaped(tallyText(profile, tally))}</strong>
<progress value="${passed}" max="${Math.max(total, 1)}" aria-label="${escaped(profile)}"></progress></p>`
}

function featuresOf({ features, profile }: Report): string {
  const rows = Object.entries(features).map(
    ([name, { passed, total, verdict }]) =>
      `<tr><th scope="row">${escaped(name)}</th><td class="n">${passed}</td><td class="n">${total}</td><td class="${classOf(verdict)}">${escaped(verdict)}</td></tr>`,
  )
  if (rows.length === 0) return ''
  return `<h2 id="features">Claimed features (${escaped(profile)})</h2>
<div class="scroll"><table><thead><tr><th>feature</th><th class="n">passed</th><th class="n">of</th><th>verdict</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>`
}

function nextOf({ next }: Report): string {
  if (next.length === 0) return ''
  const item = ({ requirement, text = '', what, ...step }: Report['next'][number]) =>
    requirement === undefined
      ? `<li>${escaped(what)}</li>`
      : `<li><a href="specification.html#${escaped(requirement)}">${escaped(requirement)}</a> ${escaped(text)} <span class="small">(${escaped(step.feature)}; ${escaped(step.reason)}: ${step.cases.length} cases)</span></li>`
  const rest = next.slice(10)
  return `<h2 id="next">Do these next</h2><ol>
${next.slice(0, 10).map(item).join('\n')}
</ol>${rest.length === 0 ? '' : `<details><summary>${rest.length} more</summary><ol start="11">${rest.map(item).join('\n')}</ol></details>`}`
}

function matrixOf({ totals }: Report): string {
  const shown = outcomes.filter(name => Object.values(totals).some(counts => counts[name] !== undefined))
  const cells = (counts: Readonly<Partial<Record<Outcome, number>>>) =>
    shown
      .map(name => `<td class="n ${counts[name] ? classOf(name) : ''}">${counts[name] ?? ''}</td>`)
      .join('')
  const rows = Object.entries(totals).map(
    ([section, counts]) => `<tr><th scope="row">${escaped(section)}</th>${cells(counts)}</tr>`,
  )
  const sum = Object.fromEntries(
    shown.map(name => [name, Object.values(totals).reduce((all, counts) => all + (counts[name] ?? 0), 0)]),
  )
  return `<div class="scroll"><table><thead><tr><th>section</th>${shown.map(name => `<th class="n">${name}</th>`).join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody><tfoot><tr><th scope="row">all</th>${cells(sum)}</tr></tfoot></table></div>`
}

/** The cases that were not run, by reason: a server with one key misses a hundred for the same one. */
function notRunOf({ cases }: Report): string {
  const reasons = new Map<string, ReportedCase[]>()
  for (const one of cases) {
    if (one.outcome !== 'skipped' && one.outcome !== 'not-supported') continue
    const reason = `${one.outcome}: ${one.reason}`
    reasons.set(reason, [...(reasons.get(reason) ?? []), one])
  }
  if (reasons.size === 0) return '<p>All cases were run.</p>'
  return [...reasons]
    .map(
      ([reason, all]) =>
        `<details><summary>${escaped(reason)} (${all.length})</summary><ul class="small">${all.map(one => `<li>${escaped(one.id)} ${escaped(one.title)}</li>`).join('')}</ul></details>`,
    )
    .join('\n')
}

function failureOf(one: ReportedCase): string {
  const exchanges = one.exchanges.map(
    (text, index) =>
      `<details><summary>Exchange ${index + 1} of ${one.exchanges.length}</summary><pre>${escaped(text)}</pre></details>`,
  )
  const pre = (title: string, text: string | undefined) =>
    text === undefined ? '' : `<p class="small">${title}</p><pre>${escaped(text)}</pre>`
  const findings = one.details.map(
    ({ message, difference, exchange, curl }) =>
      `<li>${escaped(message)}${pre('+ found - expected', difference)}${pre('in this exchange', exchange)}${pre('again', curl)}</li>`,
  )
  return `<section><h3 id="${escaped(one.id)}"><span class="${classOf(one.outcome)}">${one.outcome}</span> ${escaped(one.id)} ${escaped(one.title)}</h3>
<blockquote>${escaped(one.text)} <a href="${escaped(one.link)}">${escaped(one.requirement)}</a>, ${escaped(one.profile)} ${escaped(one.section)}, ${escaped(one.level)}</blockquote>
${one.reason === undefined ? '' : `<p>Expected: ${escaped(one.reason)}</p>`}
<ul>${findings.join('')}</ul>
${exchanges.length === 0 ? '' : `<details><summary>All ${exchanges.length} exchanges</summary>${exchanges.join('\n')}</details>`}
</section>`
}
