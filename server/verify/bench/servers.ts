import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bootstrap, masterKey } from '../support/callers.ts'
import { programArguments, startCommand } from '../support/process.ts'

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
  } = given
  const setup = join(folder, 'bootstrap.json')
  await mkdir(folder, { recursive: true })
  await writeFile(setup, JSON.stringify(tenants), { mode: 0o600 })
  const program =
    isBuilt || root !== repository ? [join(root, 'server/bin/surrogate-server.js')] : programArguments()
  const flags = ['--port=0', `--storage=${storage}`, `--bootstrap=${setup}`]
  return start([process.execPath, ...node, ...program, ...flags], { SURROGATE_MASTER_KEY: masterKey })
}

/** Returns the processor time of a process in microseconds, 0 if it has ended or the system is not Linux. */
export const cpuUsOf = (pid: number) => ticks(statOf(pid), [11, 12])

/** Returns the fields after the name: state, parent, …; an empty list if the process has ended, or there is no /proc. */
export function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  } catch {
    return []
  }
}

/** Adds up fields that are hundredths of a second, in microseconds. */
export const ticks = (fields: readonly string[], places: readonly number[]) =>
  places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0) * 10_000
