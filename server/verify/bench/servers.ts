import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bootstrap, masterKey } from '../support/callers.ts'
import { programArguments, startCommand } from '../support/process.ts'
import { sum } from './figures.ts'

/** A server in a separate process. */
export interface Started {
  readonly url: string
  readonly pid: number
  /** Returns its standard output so far. */
  output(): string
  /** Ends the process, and resolves when it has exited. */
  end(signal?: NodeJS.Signals): Promise<unknown>
}

const last: (() => unknown)[] = []
// No process or folder may outlive this one.
process.on('exit', () => {
  for (const task of last) task()
})

/** Makes a folder that is removed when this process ends. */
export function workFolder(name: string): string {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const folder = mkdtempSync(join(tmpdir(), `surrogate-${name}-`))
  last.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a command that prints where it listens. */
export async function start(command: readonly string[], environment = {}): Promise<Started> {
  const started = startCommand({ teardown: task => last.push(task) }, command, {
    NODE_ENV: 'production',
    ...environment,
  })
  const { url } = await started.ready()
  return { url, pid: started.child.pid ?? 0, output: started.output, end: started.end }
}

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const isBuilt = existsSync(join(repository, 'server/dist/main.js'))

interface ServerOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** Default: LevelDB in the folder. */
  readonly storage?: string | undefined
  readonly tenants?: object
  /** Flags of Node. */
  readonly node?: readonly string[]
  /** The root of another built copy of this repository, to run its server. */
  readonly root?: string | undefined
}

/**
 * Starts our server in production mode, with its data in this folder or at `storage`. Without a build it runs the sources:
 * the same server, which starts more slowly.
 */
export async function startServer(folder: string, given: ServerOptions = {}): Promise<Started> {
  const {
    storage = `level:${join(folder, 'data')}`,
    tenants = bootstrap,
    node = [],
    root = repository,
    environment = {},
  } = given
  const setup = join(folder, 'bootstrap.json')
  await mkdir(folder, { recursive: true })
  await writeFile(setup, JSON.stringify(tenants), { mode: 0o600 })
  const flags = ['--port=0', `--storage=${storage}`, `--bootstrap=${setup}`]
  return start([process.execPath, ...node, ...programIn(root), ...flags], {
    SURROGATE_MASTER_KEY: masterKey,
    ...environment,
  })
}

const programIn = (root: string) =>
  isBuilt || root !== repository ? [join(root, 'server/bin/surrogate-server.js')] : programArguments()

/** Runs a subcommand of our server to its end, and resolves with the seconds that it took. */
export async function runCommand(...words: readonly string[]): Promise<number> {
  const began = performance.now()
  const env = { ...process.env, SURROGATE_MASTER_KEY: masterKey }
  await promisify(execFile)(process.execPath, [...programIn(repository), ...words], { env })
  return (performance.now() - began) / 1000
}

/** Returns the processor time of a process in microseconds, 0 if it has ended or the system is not Linux. */
export const cpuUsOf = (pid: number) => ticks(statOf(pid), [11, 12])

/** Returns the processor time of a process and its children, including ended ones, in microseconds. */
export function familyUs(parent: number): number {
  const children = readdirSync('/proc').filter(
    name => /^\d+$/.test(name) && statOf(Number(name))[1] === `${parent}`,
  )
  return sum([ticks(statOf(parent), [11, 12, 13, 14]), ...children.map(child => cpuUsOf(Number(child)))])
}

/** Returns the resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096
}

/** Returns the memory of a process without the files that it has mapped, as LevelDB does with its tables, in bytes. */
export function ownBytes(pid: number): number {
  const [, resident = 0, ofFiles = 0] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number)
  return (resident - ofFiles) * 4096
}

/** Returns the fields after the name: state, parent, …; an empty list if the process has ended, or there is no /proc. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  } catch {
    return []
  }
}

/** Adds up fields that are hundredths of a second, in microseconds. */
const ticks = (fields: readonly string[], places: readonly number[]) =>
  places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0) * 10_000
