import { readdirSync, readFileSync } from 'node:fs'
import { cpuUsOf } from '../processes.ts'

/** Processor time in microseconds: of the servers, of the database, and of the whole machine. */
export interface Used {
  readonly servers: readonly number[]
  readonly database: number
  readonly machine: number
}

export function usedBy(servers: readonly number[], database: number | undefined): Used {
  return {
    servers: servers.map(pid => cpuUsOf(pid) ?? Number.NaN),
    database: database === undefined ? 0 : familyUs(database),
    machine: machineUs(),
  }
}

/** Returns the time of a process and its children, including ended ones. */
function familyUs(parent: number): number {
  let us = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const fields = statOf(name)
    if (Number(name) === parent) us += ticks(fields, [11, 12, 13, 14])
    else if (Number(fields[1]) === parent) us += ticks(fields, [11, 12])
  }
  return us
}

/** Returns the fields after the name: state, parent, …; an empty list if the process has ended. */
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  } catch {
    return []
  }
}

/** Converts hundredths of a second to microseconds. */
const ticks = (fields: readonly string[], places: readonly number[]) =>
  places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0) * 10_000

function machineUs(): number {
  const [, ...fields] = readFileSync('/proc/stat', 'latin1').split('\n')[0]?.split(/ +/) ?? []
  // user, nice, system; then idle and waiting; then interrupts, stolen.
  return ticks(fields, [0, 1, 2, 5, 6])
}
