import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** How a process ended, and all that it said. */
export interface Ended {
  /** `null` where a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program in a process of its own. */
export interface Process {
  /** Resolves when the server listens. */
  ready(): Promise<{ readonly url: string; readonly port: number }>
  /** Resolves with what matches in the standard output, as soon as it is there. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal that does not end it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Sends a signal, and resolves when the process is gone. */
  end(signal?: NodeJS.Signals): Promise<Ended>
  readonly ended: Promise<Ended>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** From the sources, compiled with the tests where those are: a build may be older than what is tested. */
export function programArguments(): string[] {
  const compiled = process.env.COMPILED_PROGRAM
  const main = compiled ?? new URL('../src/main.ts', import.meta.url).href
  const program = `import { main } from '${main}'; process.exitCode = await main(process.argv.slice(1), process.env)`
  return [...(compiled === undefined ? ['--import=tsx'] : []), '--input-type=module', '--eval', program, '--']
}

/**
 * Starts the program as an operator would; whatever becomes of the test, the process ends with it.
 * @param prefix a command that runs the program, such as one that takes rights from it
 */
export function startProcess(
  t: { teardown(task: () => unknown): void },
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  prefix: readonly string[] = [],
): Process {
  // Settings of whoever runs the tests must not reach what is tested.
  const { PATH = '', HOME = '' } = process.env
  const [file = '', ...words] = [...prefix, process.execPath, ...programArguments(), ...args]
  const child = spawn(file, words, { cwd: root, env: { PATH, HOME, ...environment } })
  let [stdout, stderr, over] = ['', '', false]
  child.stdout.on('data', data => {
    stdout += data
  })
  child.stderr.on('data', data => {
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
  const printed = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(stdout)
      if (match) return match
      if (over) throw new Error(`the server ended without saying ${pattern}: ${stderr}`)
      await Promise.race([once(child.stdout, 'data'), ended])
    }
  }
  return {
    ready: async () => {
      const [, url = '', port] = await printed(/listening on (http:\/\/[^\s:]+:(\d+))\n/)
      return { url, port: Number(port) }
    },
    printed,
    signal: signal => void child.kill(signal),
    end: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    ended,
  }
}
