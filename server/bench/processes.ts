import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

export interface Command {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Matches the standard output when the process is ready; the first group is the URL. */
  readonly ready: RegExp
}

/** A server in a separate process. */
export interface Started {
  readonly url: string
  readonly pid: number
  /** Milliseconds from the spawn to the ready line. */
  readonly readyMs: number
  /** Ends the process, and resolves when it has exited. */
  end(signal?: NodeJS.Signals): Promise<void>
}

const running = new Set<ChildProcess>()
// No process may outlive this one.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Registers a process to be ended together with this one. */
export function endWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Runs Node with these arguments and waits for the ready line. Rejects if the process ends before it. */
export async function start({ args, env = {}, ready }: Command): Promise<Started> {
  const spawnedMs = performance.now()
  const child = endWithThisProcess(
    spawn(process.execPath, args, {
      env: { ...ownEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  try {
    const url = await readyLine(child, ready)
    const readyMs = performance.now() - spawnedMs
    return { url, pid: child.pid ?? 0, readyMs, end: (signal = 'SIGTERM') => end(child, signal) }
  } catch (error) {
    await end(child, 'SIGKILL')
    throw error
  }
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
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

function readyLine(child: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      // Reading continues after the ready line: a full pipe would block the server.
      if (output.length < 10_000) output += chunk
      const url = ready.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new Error(`the server ended (${signal ?? code}) before it was ready: ${output}`)),
    )
  })
}

/** Returns the processor time of a process in microseconds; `undefined` on systems other than Linux. */
export function cpuUsOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    // User and system time are the 12th and 13th field after the name, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return undefined
  }
}
