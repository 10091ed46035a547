import { escaped } from './escaped.ts'
import type { Report, ReportedCase } from './model.ts'

/** Returns the report as JUnit XML, for build servers. */
export function junitOf(report: Report): string {
  const is = (...outcomes: ReportedCase['outcome'][]) =>
    report.cases.filter(one => outcomes.includes(one.outcome)).length
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const cases = report.cases.map(one => {
    const head = `<testcase classname="${escaped(`${one.profile} ${one.section}`)}" name="${escaped(`${one.id} ${one.title}`)}" time="${seconds(one.duration_ms)}"`
    const message = escaped(one.findings.join('; '))
    if (one.outcome === 'fail')
      return `  ${head}><failure message="${message}">${escaped(one.text)}</failure></testcase>`
    if (one.outcome === 'unexpected-pass')
      return `  ${head}><failure message="passes, although a failure is expected"/></testcase>`
    if (one.outcome === 'error') return `  ${head}><error message="${message}"/></testcase>`
    if (['skipped', 'not-supported', 'expected-failure'].includes(one.outcome))
      return `  ${head}><skipped message="${escaped(`${one.outcome}: ${one.reason}`)}"/></testcase>`
    return `  ${head}/>`
  })
  const { invalid } = report
  if (invalid !== undefined)
    cases.push(
      `  <testcase classname="run" name="the run is valid"><error message="${escaped(invalid)}"/></testcase>`,
    )
  const counts = `tests="${cases.length}" failures="${is('fail', 'unexpected-pass')}" errors="${is('error') + (invalid === undefined ? 0 : 1)}" skipped="${is('skipped', 'not-supported', 'expected-failure')}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="surrogate-conformance" ${counts} time="${seconds(report.duration_ms)}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n')
}
