import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileTests } from './compile-tests.ts'
import { runTasks, type Task } from './run-tasks.ts'
import { groupTests } from './test-files.ts'
import type { TestOptions } from './test-options.ts'
import { TestReport, timesVariable } from './test-report.ts'
import { keepTimes, readLastTimes } from './test-times.ts'
import { readClocks } from './usage.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface TestRun {
  /** Paths from the root of the repository. */
  readonly tests: readonly string[]
  /** The folder of what is compiled. Runs of other names do not disturb it. */
  readonly name: string
  readonly options: TestOptions
  /** Other checks, which run while the tests are compiled, and beside them. */
  readonly checks?: readonly Task[]
  /** Starts what the tests need. */
  readonly env?: () => Promise<NodeJS.ProcessEnv>
}

/** Compiles tests and runs them, the longest first. Resolves with the exit code. */
export async function runTests({ tests, name, options, checks = [], env }: TestRun): Promise<number> {
  const groups = groupTests(tests, readLastTimes())
  const folder = mkdtempSync(join(tmpdir(), 'surrogate-test-times-'))
  const report = new TestReport(options, text => process.stdout.write(text))
  let tasks = 0
  const timed = (task: Task): Task => ({
    ...task,
    env: { ...task.env, [timesVariable]: join(folder, `${tasks++}.json`) },
  })
  async function* ready(): AsyncGenerator<Task> {
    const preparing = Promise.all([compileTests(groups, name), env?.()])
    // It is awaited later, when the checks have been started.
    preparing.catch(() => {})
    yield* checks.map(timed)
    const [files, started] = await preparing
    for (const [index, group] of [...groups.keys()].entries()) {
      const argv = ['--enable-source-maps', files[index] ?? '']
      yield timed({ name: group, argv, env: { ...options.env, ...started } })
    }
  }
  try {
    await runTasks(ready(), {
      cwd: root,
      jobs: options.jobs,
      silenceMs: options.silenceMs,
      onEnd: ended => report.add(ended, !checks.some(check => check.name === ended.task.name)),
      isOver: () => options.bail && report.hasFailed,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  keepTimes(report.parts)
  report.finish(readClocks())
  return report.hasFailed ? 1 : 0
}
