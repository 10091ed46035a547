import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A command of a run: tests, or another check. */
export interface Task {
  readonly name: string
  /** Arguments of Node. */
  readonly argv: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** How a task ended, and what it printed. */
export interface Ended {
  readonly task: Task
  /** 1 if a signal ended it. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly wallMs: number
  /** True if it was ended because it printed nothing for too long. */
  readonly wasSilent: boolean
}

export interface RunOptions {
  readonly cwd: string
  /** Runs at most this many tasks concurrently. */
  readonly jobs: number
  /** Ends a task that prints nothing for this time. */
  readonly silenceMs: number
  /** Receives output while it is printed. By default it is only collected. */
  readonly onOutput?: ((text: string) => void) | undefined
  readonly onEnd: (ended: Ended) => void
  /** True if no more tasks shall be started. */
  readonly isOver?: () => boolean
}

/** Time for a process that is ended to say what it was doing. */
const graceMs = 10_000

/** Runs tasks concurrently, in order. A task may be added while others run. */
export async function runTasks(
  tasks: Iterable<Task> | AsyncIterable<Task>,
  options: RunOptions,
): Promise<void> {
  const running = new Set<Promise<void>>()
  for await (const task of tasks) {
    if (options.isOver?.()) break
    const one: Promise<void> = runTask(task, options).then(ended => {
      running.delete(one)
      options.onEnd(ended)
    })
    running.add(one)
    if (running.size >= options.jobs) await Promise.race(running)
  }
  await Promise.all(running)
}

async function runTask(task: Task, { cwd, silenceMs, onOutput }: RunOptions): Promise<Ended> {
  const began = performance.now()
  const child = spawn(process.execPath, task.argv, {
    cwd,
    env: { ...process.env, ...task.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr, wasSilent] = ['', '', false]
  const silence = setTimeout(() => {
    wasSilent = true
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
  }, silenceMs)
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
    silence.refresh()
    onOutput?.(text)
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
    silence.refresh()
  })
  const [code] = await once(child, 'close')
  clearTimeout(silence)
  return { task, code: code ?? 1, stdout, stderr, wallMs: performance.now() - began, wasSilent }
}
