import { sharedPostgres } from './shared-postgres.ts'
import { testsOf } from './test-files.ts'
import { readTestOptions } from './test-options.ts'
import { runTests } from './test-run.ts'

/**
 * Runs tests for longer than `npm test` does, one file after the other, and prints what they tell. Resolves with the
 * exit code.
 *
 * @param settings environment variables that the tests read
 */
export async function runLong(
  paths: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const tests = testsOf(paths)
  const postgres = sharedPostgres(tests)
  const options = readTestOptions(['--reporter=tap', '--jobs=1', '--bail'], process.env)
  try {
    return await runTests({
      tests,
      name: 'long',
      options,
      env: async () => ({ ...(await postgres.start()), ...settings }),
    })
  } finally {
    await postgres.close()
  }
}
