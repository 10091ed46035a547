import { encode, type FuzzCase } from './case.ts'
import { type Finding, faultKey } from './finding.ts'
import type { Report } from './fuzz.ts'
import { mebibytes } from './memory.ts'
import { longestStallMs } from './retrial.ts'

/** Returns a report as readable text. */
export function describe(report: Report, again: string): string {
  const { seed, findings, tally, memory, watched, cleared, tookMs } = report
  const held = memory.map(({ heldBytes }) => mebibytes(heldBytes)).join(', ')
  const slowest = Math.max(0, ...watched.map(({ maxMs }) => maxMs)).toFixed(0)
  return [
    '',
    ...tally.lines(),
    `slowest concurrent read ${slowest} ms${cleared > 0 ? `; ${cleared} cases during a read of over ${longestStallMs} ms do not cause one alone` : ''}`,
    `MiB held after each round: ${held}`,
    `${(tookMs / 1000).toFixed(0)} s`,
    ...groups(findings).flatMap((group, index) => ['', `${index + 1}. ${describeGroup(group, seed, again)}`]),
    '',
    `seed ${seed}: ${findings.length === 0 ? 'no findings' : `${findings.length} findings`}`,
    '',
  ].join('\n')
}

/** Groups findings that are probably the same fault; only the first of a group is described. */
function groups(findings: readonly Finding[]): Finding[][] {
  const byTitle = new Map<string, Finding[]>()
  for (const finding of findings) {
    byTitle.set(faultKey(finding), [...(byTitle.get(faultKey(finding)) ?? []), finding])
  }
  return [...byTitle.values()]
}

function describeGroup(group: readonly Finding[], seed: string, again: string): string {
  const [first] = group
  if (!first) return ''
  const { fault, what, one, alone } = first
  if (!one) return `${fault}: ${what}`
  const others =
    group.length > 1
      ? [
          `   and ${group.length - 1} more: ${group
            .slice(1, 9)
            .map(other => other.one?.number)
            .join(', ')}`,
        ]
      : []
  const replay =
    alone === false
      ? `   not reproduced alone; with all cases before it: ${again} --seed ${seed} --count ${one.number + 1}`
      : `   again: ${again} --seed ${seed} --only ${one.number}`
  return [
    `${fault}: ${one.title} (case ${one.number})`,
    `   ${what}`,
    describeCase(one),
    replay,
    ...others,
  ].join('\n')
}

/** Describes the requests of a case, truncated. */
export function describeCase(one: FuzzCase): string {
  return [...one.prelude.slice(-2), one.request]
    .map(request => {
      const text = Buffer.from(encode(request, new Map(), 'fuzz'))
        .toString('latin1')
        .replaceAll('\r\n', '\n')
        .trim()
      const shown = text.length > 900 ? `${text.slice(0, 900)} … (${text.length} bytes)` : text
      return shown.replaceAll(/^/gm, '   | ')
    })
    .join('\n')
}
