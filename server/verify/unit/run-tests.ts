import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileTests } from './compile-tests.ts'
import { countCases } from './count-cases.ts'
import { root, testsOf } from './tests.ts'

export interface TestRun {
  /** Paths from the root of the repository. */
  readonly tests: readonly string[]
  /** Flags of `tap run`. */
  readonly flags: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Keeps compiled tests, for `--changed`. */
  readonly keepsCompiled?: boolean
}

/**
 * Compiles tests, runs them by tap and prints how many cases passed. Resolves with the exit code, which is not 0 if no
 * case was run. Tests that need PostgreSQL are skipped unless the environment names a server.
 */
export async function runTests({ tests, flags, env, keepsCompiled = false }: TestRun): Promise<number> {
  const compiled = join(root, '.compiled')
  mkdirSync(compiled, { recursive: true })
  const folder = keepsCompiled ? join(compiled, 'all') : mkdtempSync(join(compiled, 'part-'))
  // Tests start programs as another user, who has to read them.
  if (!keepsCompiled) chmodSync(folder, 0o755)
  const results = mkdtempSync(join(tmpdir(), 'surrogate-tests-'))
  try {
    const files = await compileTests(tests, folder)
    // One more than processors, as some tests wait for other processes.
    const jobs = `--jobs=${availableParallelism() + 1}`
    // Without the flag, a part would remove what tap knows of the last whole run.
    const changed = keepsCompiled ? [] : ['--changed']
    const argv = ['run', jobs, `--output-dir=${results}`, ...changed, ...flags, ...files]
    const options = {
      cwd: root,
      env: { SURROGATE_TEST_POSTGRES: 'none', ...process.env, ...env },
      stdio: 'inherit',
    } as const
    const [code] = await once(spawn(join(root, 'node_modules/.bin/tap'), argv, options), 'close')
    const { passed, failures, skipped } = countCases(results)
    // tap prints nothing of a test that ran out of time.
    for (const name of failures) process.stdout.write(`failed: ${name}\n`)
    if (code !== 0) process.stdout.write('failed; --reporter=tap shows all that the tests print\n')
    process.stdout.write(
      `${passed} passed, ${Math.max(failures.length, code === 0 ? 0 : 1)} failed, ${skipped} skipped\n`,
    )
    // tap passes if `--grep` matches no test; with `--changed` there may be none.
    return code === 0 && passed === 0 && !flags.includes('--changed') ? 1 : (code ?? 1)
  } finally {
    rmSync(results, { recursive: true, force: true })
    if (!keepsCompiled) rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs tests for longer than `npm test` does, one file after the other, and prints what they tell.
 *
 * @param env settings that the tests read
 */
export const runLong = (paths: readonly string[], env: NodeJS.ProcessEnv, flags: readonly string[] = []) =>
  runTests({
    tests: testsOf(paths),
    flags: ['--reporter=tap', '--jobs=1', '--bail', '--timeout=0', ...flags],
    // Tests that need PostgreSQL start it.
    env: { SURROGATE_TEST_POSTGRES: process.env.SURROGATE_TEST_POSTGRES ?? '', ...env },
  })
