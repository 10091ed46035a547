import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

interface Command {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** True if its standard error is read and dropped, such as a log of each request. */
  readonly isQuiet?: boolean
}

/** A server in a separate process. */
export interface Started {
  readonly url: string
  readonly pid: number
  /** Returns its standard output so far. */
  output(): string
  /** Ends the process, and resolves when it has exited. */
  end(signal?: NodeJS.Signals): Promise<void>
}

const running = new Set<ChildProcess>()
// No process may outlive this one.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Makes a folder that is removed when this process ends, unless one to keep is given. */
export function workFolder(name: string, kept?: string): string {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  if (kept !== undefined) return resolve(kept)
  const folder = mkdtempSync(join(tmpdir(), `surrogate-${name}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Registers a process to be ended together with this one. */
function endWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Runs Node with these arguments and waits for the ready line. Rejects if the process ends before it. */
export async function start({ args, env = {}, isQuiet = false }: Command): Promise<Started> {
  const child = endWithThisProcess(
    spawn(process.execPath, args, {
      env: { ...ownEnvironment(), ...env },
      stdio: ['ignore', 'pipe', isQuiet ? 'pipe' : 'inherit'],
    }),
  )
  child.stderr?.resume()
  try {
    // Read all the time: a full pipe would block the server.
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
    })
    const url = await readyLine(child)
    return { url, pid: child.pid ?? 0, output: () => output, end: (signal = 'SIGTERM') => end(child, signal) }
  } catch (error) {
    await end(child, 'SIGKILL')
    throw error
  }
}

/** Runs a program, given by its URL, and parses the JSON that it prints. */
export async function runJson<Answer>(program: URL, ...args: readonly string[]): Promise<Answer> {
  const child = endWithThisProcess(
    spawn(process.execPath, ['--import=tsx', fileURLToPath(program), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`${program.pathname} ended with ${code}`)
  return JSON.parse(output) as Answer
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

/** Removes settings of the server from the environment: they must not reach a measured or tested server. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SURROGATE_|NODE_|TAP)/.test(name))
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' }
}

function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((ready, reject) => {
    let output = ''
    const look = (chunk: Buffer) => {
      output += chunk
      const url = /listening on (http:\S+)/.exec(output)?.[1]
      if (url === undefined) return
      child.stdout?.off('data', look)
      ready(url)
    }
    child.stdout?.on('data', look)
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new Error(`the server ended (${signal ?? code}) before it was ready: ${output}`)),
    )
  })
}

/** Returns the processor time of a process in microseconds; `undefined` on systems other than Linux. */
export function cpuUsOf(pid: number): number | undefined {
  const fields = statOf(pid)
  return fields.length === 0 ? undefined : ticks(fields, [11, 12])
}

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

/** Returns the bytes that a process has had written to disks; 0 on systems without /proc. */
export function writtenBytesOf(pid: number): number {
  try {
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1])
  } catch {
    return 0
  }
}
