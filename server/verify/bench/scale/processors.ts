import { readdirSync, readFileSync } from 'node:fs'
import { cpuUsOf, statOf, ticks } from '../processes.ts'

/** Processor time in microseconds: of the servers, of each node of the database, and of the whole machine. */
export interface Used {
  readonly servers: readonly number[]
  readonly nodes: readonly number[]
  readonly machine: number
}

/** @param nodes the main processes of the database; all others are their children */
export function usedBy(servers: readonly number[], nodes: readonly number[]): Used {
  return {
    servers: servers.map(pid => cpuUsOf(pid) ?? Number.NaN),
    nodes: nodes.map(familyUs),
    machine: machineUs(),
  }
}

/** Returns the time of a process and its children, including ended ones. */
function familyUs(parent: number): number {
  const own = ticks(statOf(parent), [11, 12, 13, 14])
  return childrenOf(parent).reduce((sum, child) => sum + ticks(statOf(child), [11, 12]), own)
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(statOf(Number(name))[1]) === parent)
    .map(Number)
}

function machineUs(): number {
  const [, ...fields] = readFileSync('/proc/stat', 'latin1').split('\n')[0]?.split(/ +/) ?? []
  // user, nice, system; then idle and waiting; then interrupts, stolen.
  return ticks(fields, [0, 1, 2, 5, 6])
}
