import { encode, type FuzzCase } from './case.ts'
import { type Finding, faultKey } from './finding.ts'
import type { Report } from './fuzz.ts'
import { mebibytes } from './memory.ts'
import { longestStallMs } from './retrial.ts'

/** Returns a report as readable text. */
export function describe(
  { seed, findings, tally, memory, watched, cleared, tookMs }: Report,
  again: string,
): string {
  const slowest = Math.max(0, ...watched.map(({ maxMs }) => maxMs)).toFixed(0)
  const others =
    cleared > 0 ? `; ${cleared} cases during a read of over ${longestStallMs} ms do not cause one alone` : ''
  // Findings that are probably the same fault; only the first of a group is described.
  const groups = grouped(findings)
  return [
    '',
    ...tally.lines(),
    `slowest concurrent read ${slowest} ms${others}`,
    `MiB held after each round: ${memory.map(({ heldBytes }) => mebibytes(heldBytes)).join(', ')}`,
    `${(tookMs / 1000).toFixed(0)} s`,
    ...[...groups.values()].flatMap((group, index) => [
      '',
      `${index + 1}. ${describeGroup(group, seed, again)}`,
    ]),
    '',
    `seed ${seed}: ${findings.length === 0 ? 'no findings' : `${findings.length} findings`}`,
    '',
  ].join('\n')
}

function grouped(findings: readonly Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings)
    groups.set(faultKey(finding), [...(groups.get(faultKey(finding)) ?? []), finding])
  return groups
}

function describeGroup([first, ...others]: readonly Finding[], seed: string, again: string): string {
  if (!first?.one) return `${first?.fault}: ${first?.what}`
  const { fault, what, one, alone } = first
  const numbers = others.slice(0, 8).map(other => other.one?.number)
  return [
    `${fault}: ${one.title} (case ${one.number})`,
    `   ${what}`,
    describeCase(one),
    alone === false
      ? `   not reproduced alone; with all cases before it: ${again} --seed ${seed} --count ${one.number + 1}`
      : `   again: ${again} --seed ${seed} --only ${one.number}`,
    ...(others.length > 0 ? [`   and ${others.length} more: ${numbers.join(', ')}`] : []),
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
