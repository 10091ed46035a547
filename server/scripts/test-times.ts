import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileTimes } from '../testing/file-times.ts'

/** The time of a part of a run: the tests of a file, the start of a process, or another check. */
export interface PartTimes extends FileTimes {
  readonly name: string
}

/** Not under version control: the times are those of this machine. */
const memory = fileURLToPath(new URL('../../node_modules/.cache/surrogate/test-times.json', import.meta.url))

/** Reads what the tests of each file took when they last ran here, in ms. */
export function readLastTimes(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(memory, 'utf8'))
  } catch {
    return {}
  }
}

export function keepTimes(parts: readonly PartTimes[]): void {
  const times = {
    ...readLastTimes(),
    ...Object.fromEntries(parts.map(({ name, wallMs }) => [name, Math.round(wallMs)])),
  }
  mkdirSync(dirname(memory), { recursive: true })
  writeFileSync(memory, JSON.stringify(times))
}

const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(8)

/** Returns tables of the slowest files and folders, by processor time. */
export function timingTables(
  parts: readonly PartTimes[],
  total: { wallMs: number; processorMs: number },
): string {
  const folders = new Map<string, PartTimes>()
  for (const part of parts) {
    const name = part.name.includes('/') ? `${dirname(part.name)}/` : part.name
    const known = folders.get(name) ?? { name, tests: 0, wallMs: 0, processorMs: 0 }
    folders.set(name, {
      name,
      tests: known.tests + part.tests,
      wallMs: known.wallMs + part.wallMs,
      processorMs: known.processorMs + part.processorMs,
    })
  }
  const sum = (key: 'tests' | 'wallMs' | 'processorMs') => parts.reduce((all, part) => all + part[key], 0)
  return [
    table('the slowest files', parts),
    table('the slowest folders', [...folders.values()]),
    `${seconds(sum('processorMs'))}${seconds(sum('wallMs'))}   sum over all processes`,
    `${seconds(total.processorMs)}${seconds(total.wallMs)}   the whole run, with compiling`,
    '',
  ].join('\n')
}

function table(title: string, parts: readonly PartTimes[]): string {
  const rows = parts
    .toSorted((a, b) => b.processorMs - a.processorMs)
    .slice(0, 30)
    .map(
      ({ name, tests, wallMs, processorMs }) =>
        `${seconds(processorMs)}${seconds(wallMs)} ${String(tests).padStart(6)}  ${name}`,
    )
  return [`\n${title}`, 'proc. s  wall s  tests', ...rows, ''].join('\n')
}
