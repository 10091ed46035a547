import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** How a process ended, and its output. */
export interface Ended {
  /** `null` if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The server program in a separate process. */
export interface Process {
  /** Resolves when the server listens. */
  ready(): Promise<{ readonly url: string; readonly port: number }>
  /** Resolves with the first match in the standard output. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal that does not end the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR1' | 'SIGHUP'): void
  /** Resolves with the first match in the standard error. */
  logged(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal, and resolves when the process has ended. */
  end(signal?: NodeJS.Signals): Promise<Ended>
  readonly ended: Promise<Ended>
  /** Returns its standard output so far. */
  output(): string
  readonly child: ChildProcess
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Set while tests are compiled: the folder with the programs that they start. */
const compiled = process.env.COMPILED_PROGRAMS

/** Arguments with which Node loads programs: none if they were compiled with the tests. */
export const loader: readonly string[] = compiled === undefined ? ['--import=tsx'] : []

/**
 * Locates a program, or a module to preload: as compiled with the tests, else its source, as a build may be outdated.
 *
 * @param path from the root of the repository; one of those that `server/verify/unit/compile-tests.ts` compiles
 */
export function locateProgram(path: string): string {
  return compiled === undefined
    ? new URL(`../../../${path}`, import.meta.url).href
    : new URL(path.replace(/\.ts$/, '.js'), compiled).href
}

/** Returns arguments that run the server. */
export function programArguments(): string[] {
  const main = locateProgram('server/src/program/main.ts')
  const program = `import { main } from '${main}'; process.exitCode = await main(process.argv.slice(1), process.env)`
  return [...loader, '--input-type=module', '--eval', program, '--']
}

/**
 * Starts the program like an operator. The process ends with the test in any case.
 * @param prefix a command that runs the program, such as one that removes rights
 */
export function startProcess(
  t: { teardown(task: () => unknown): void },
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  prefix: readonly string[] = [],
): Process {
  return startCommand(t, [...prefix, process.execPath, ...programArguments(), ...args], environment)
}

/**
 * Starts a command that runs a server.
 * @param channel true for one by which its process and this one send messages
 */
export function startCommand(
  t: { teardown(task: () => unknown): void },
  [file = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string>>,
  channel = false,
): Process {
  // Settings in the environment of the tests must not reach the program.
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(file, words, {
    cwd: root,
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe', ...(channel ? (['ipc'] as const) : [])],
  })
  let [stdout, stderr, over] = ['', '', false]
  child.stdout?.on('data', data => {
    stdout += data
  })
  child.stderr?.on('data', data => {
    stderr += data
  })
  const ended = once(child, 'close').then(([code]): Ended => {
    over = true
    return { code, stdout, stderr }
  })
  t.teardown(() => {
    child.kill('SIGKILL')
    return ended
  })
  const found = async (pattern: RegExp, stream: 'stdout' | 'stderr') => {
    for (;;) {
      const match = pattern.exec(stream === 'stdout' ? stdout : stderr)
      if (match) return match
      if (over) throw new Error(`the server ended without printing ${pattern}: ${stderr}`)
      await Promise.race([once(child[stream] ?? child, 'data'), ended])
    }
  }
  const printed = (pattern: RegExp) => found(pattern, 'stdout')
  return {
    ready: async () => {
      const [, url = '', port] = await printed(/listening on (http:\/\/[^\s:]+:(\d+))\n/)
      return { url, port: Number(port) }
    },
    printed,
    logged: pattern => found(pattern, 'stderr'),
    signal: signal => void child.kill(signal),
    end: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    ended,
    output: () => stdout,
    child,
  }
}
