import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Dependencies } from '../../scripts/build/dependencies.ts'
import { startPostgres } from '../support/postgres/server.ts'
import { PostgresUnavailable } from '../support/postgres/unavailable.ts'
import { compileTests, testsOf } from './compile-tests.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface TestRun {
  /** Paths from the root of the repository. */
  readonly tests: readonly string[]
  /** Flags of `tap run`. */
  readonly flags: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** True for all tests. What was compiled is kept then, for `--changed`. */
  readonly isWhole?: boolean
}

/** Compiles tests and runs them by tap. Resolves with the exit code, which is not 0 if no test was run. */
export async function runTests({ tests, flags, env, isWhole = false }: TestRun): Promise<number> {
  const compiled = join(root, '.compiled')
  mkdirSync(compiled, { recursive: true })
  const folder = isWhole ? join(compiled, 'all') : mkdtempSync(join(compiled, 'part-'))
  // Tests start programs as another user, who has to read them.
  if (!isWhole) chmodSync(folder, 0o755)
  const results = mkdtempSync(join(tmpdir(), 'surrogate-tests-'))
  const postgres = await sharedPostgres(tests, { ...process.env, ...env })
  try {
    const files = await compileTests(tests, folder)
    // Two more than processors, as some tests wait for real time.
    const jobs = `--jobs=${availableParallelism() + 2}`
    // Without the flag, a part would remove what tap knows of the last whole run.
    const changed = isWhole ? [] : ['--changed']
    const argv = ['run', jobs, `--output-dir=${results}`, ...changed, ...flags, ...files]
    const shared = postgres ? { SURROGATE_TEST_POSTGRES: postgres.url } : {}
    const options = { cwd: root, env: { ...process.env, ...shared, ...env }, stdio: 'inherit' } as const
    const [code] = await once(spawn(join(root, 'node_modules/.bin/tap'), argv, options), 'close')
    const counts = countsIn(results)
    process.stdout.write(`${counts.pass} passed, ${counts.fail} failed, ${counts.skip} skipped\n`)
    if (code !== 0) process.stdout.write('failed; --reporter=tap shows all that the tests print\n')
    // tap passes if `--grep` matches no test; with `--changed` there may be none.
    return code === 0 && counts.pass + counts.fail === 0 && !flags.includes('--changed') ? 1 : (code ?? 1)
  } finally {
    await postgres?.close()
    rmSync(results, { recursive: true, force: true })
    if (!isWhole) rmSync(folder, { recursive: true, force: true })
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
    env,
  })

/** Starts one PostgreSQL server for all processes of a run, if a test needs it and none is named. */
async function sharedPostgres(tests: readonly string[], env: NodeJS.ProcessEnv) {
  const dependencies = new Dependencies()
  const isNeeded = tests.some(test => dependencies.of(test).has('server/verify/support/postgres.ts'))
  if (!isNeeded || env.SURROGATE_TEST_POSTGRES) return undefined
  return startPostgres().catch(error => {
    // The tests say why they are skipped.
    if (!(error instanceof PostgresUnavailable)) throw error
  })
}

/** Counts assertions in what the processes printed. Lines with a time are those of whole tests. */
function countsIn(folder: string): Record<'pass' | 'fail' | 'skip', number> {
  const counts = { pass: 0, fail: 0, skip: 0 }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    for (const [, not, rest = ''] of text.matchAll(/^ *(not )?ok \d+(.*)$/gm))
      if (/ # SKIP/.test(rest)) counts.skip++
      else if (!/ # time=/.test(rest)) counts[not ? 'fail' : 'pass']++
  }
  return counts
}
