import { readdirSync, readFileSync } from 'node:fs'
import { cpuUsOf } from '../processes.ts'

/** Processor time used so far, in microseconds: by the servers, by the database, and by all of the machine. */
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

/** A process, its children, and those of its children that have ended. */
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

/** What stands behind the name: state, parent, …; empty where the process is gone. */
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  } catch {
    return []
  }
}

/** Hundredths of a second, as microseconds. */
const ticks = (fields: readonly string[], places: readonly number[]) =>
  places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0) * 10_000

function machineUs(): number {
  const [, ...fields] = readFileSync('/proc/stat', 'latin1').split('\n')[0]?.split(/ +/) ?? []
  // user, nice, system; then idle and waiting; then interrupts, stolen.
  return ticks(fields, [0, 1, 2, 5, 6])
}
