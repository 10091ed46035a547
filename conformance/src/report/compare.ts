import { readFileSync } from 'node:fs'
import { ConfigError, refuseMissing } from '../config-error.ts'
import type { Report, ReportedCase } from './model.ts'

/** Differences between two reports of one server, or of two. */
interface Comparison {
  readonly worse: readonly string[]
  readonly better: readonly string[]
  readonly other: readonly string[]
  readonly lines: readonly string[]
}

const isGood = (one: ReportedCase | undefined) => one?.outcome === 'pass' || one?.outcome === 'warn'
const isBad = (one: ReportedCase | undefined) =>
  one !== undefined && ['fail', 'error', 'expected-failure'].includes(one.outcome)

/** Compares the outcomes of two reports, case by case. */
export function compare(before: Report, after: Report): Comparison {
  const [old, now] = [before, after].map(report => new Map(report.cases.map(one => [one.id, one])))
  const changed = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort().flatMap(id => {
    const [a, b] = [old?.get(id), now?.get(id)]
    if (a?.outcome === b?.outcome) return []
    const line = `${id} ${(b ?? a)?.title}: ${a?.outcome ?? 'not there'} → ${b?.outcome ?? 'not there'}`
    const kind = isBad(b) || (isGood(a) && !isGood(b)) ? 'worse' : isGood(b) ? 'better' : 'other'
    return [{ line, kind }]
  })
  const of = (kind: string) => changed.filter(one => one.kind === kind).map(one => one.line)
  const [worse, better, other] = [of('worse'), of('better'), of('other')]
  const section = (title: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`${title} (${all.length}):`, ...all.map(line => `  ${line}`)]
  const about = (report: Report) =>
    `${report.target.name ?? report.target.base_url} ${report.target.version ?? ''} on ${report.started_at}: ${report.summary}`
  const lines = [
    `before: ${about(before)}`,
    `after:  ${about(after)}`,
    ...(before.suite.requirements === after.suite.requirements
      ? []
      : ['The reports are of different versions of the requirements.']),
    ...(before.profile === after.profile
      ? []
      : [`The reports are of different profiles, ${before.profile} and ${after.profile}.`]),
    ...([...before.claims].sort().join() === [...after.claims].sort().join()
      ? []
      : ['The reports are of different claims.']),
    ...section('worse', worse),
    ...section('better', better),
    ...section('other', other),
    `${worse.length} worse, ${better.length} better, ${other.length} other`,
  ]
  return { worse, better, other, lines }
}

/** @throws {ConfigError} if the file is not a report */
export function readReport(path: string): Report {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
    const report = JSON.parse(text) as Report
    if (Array.isArray(report.cases) && typeof report.summary === 'string') return report
  } catch (error) {
    refuseMissing(path, error)
  }
  throw new ConfigError(`${path} is not a report.json of this suite`)
}
